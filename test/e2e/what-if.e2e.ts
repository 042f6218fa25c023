import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { type Happening, whatIf } from '../../src/commands/what-if.ts';
import type { Affected } from '../../src/what-if/answer.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { KubernetesApiError, type KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { playAttacher } from '../oracle/attacher.ts';
import { Kubelets } from '../oracle/kubelet/kubelets.ts';
import { inParallel } from '../oracle/pool.ts';
import { randomFrom } from '../oracle/random.ts';
import { Watches } from '../oracle/watches.ts';
import { World } from '../oracle/world.ts';
import { Heartbeats } from './heartbeats.ts';
import { DRIVER, oneMore, type Scenario, type ScenarioWorkload, scenarioOf } from './what-if-scenario.ts';

/** `WHAT_IF_COUNT=200 WHAT_IF_SEED=7` plays more of them, and others. */
const COUNT = Number(process.env.WHAT_IF_COUNT ?? 21);
const SEED = Number(process.env.WHAT_IF_SEED ?? 1);
const AT_ONCE = 11;

/** In seconds: a silent node is noticed, its pods are evicted, and a controller has had time to do whatever it does. */
const NOTICED = 4;
const TOLERATED = 3;
const SETTLED_MS = (NOTICED + TOLERATED + 12) * 1000;
const A_WHILE = { timeoutMs: 15_000 };
const PATIENT = { timeoutMs: 60_000, everyMs: 300 };

let controlPlane: ControlPlane;
let world: World;
let kubelets: Kubelets;
let heartbeats: Heartbeats;
let watches: Watches;
/** By scenario, those of which pods did not all start, so that nothing is shown by them. */
const refused: string[] = [];
/** How often each outcome was foretold. */
const tally = new Map<string, number>();

before(async () => {
  controlPlane = await startControlPlane({
    controllerManager: true,
    scheduler: true,
    // It stands for nodes that are kept Ready, without which nothing looks at heartbeats; it manages none of these.
    kwok: { pods: false, volumeAttachments: false },
    flags: {
      kwok: ['--manage-all-nodes=false', '--manage-nodes-with-label-selector=kwok=none'],
      'kube-apiserver': [
        '--disable-admission-plugins=ServiceAccount',
        `--default-unreachable-toleration-seconds=${TOLERATED}`,
        `--default-not-ready-toleration-seconds=${TOLERATED}`,
      ],
      'kube-controller-manager': [
        `--node-monitor-grace-period=${NOTICED}s`,
        '--node-monitor-period=1s',
        '--node-eviction-rate=1',
      ],
    },
  });
  watches = await Watches.of(controlPlane);
  world = new World(watches);
  const kubelet = controlPlane.apiAs({ user: 'system:node:what-if', groups: ['system:nodes'] });
  playAttacher(kubelet, world, randomFrom(SEED));
  kubelets = new Kubelets(kubelet, world, randomFrom(SEED));
  heartbeats = new Heartbeats(controlPlane.api);
  const driver = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: DRIVER }, spec: {} };
  await controlPlane.api.create<KubernetesObject>(driver);
  // Where no node is Ready the controllers evict nothing; this one always is.
  await join([oneMore('always')]);
});

after(async () => {
  kubelets?.stop();
  await heartbeats?.stop();
  await watches?.close();
  await controlPlane?.stop();
});

test(`what is foretold is what happens, ${COUNT} times from seed ${SEED}`, { timeout: 60_000 * COUNT }, async () => {
  const scenarios = Array.from({ length: COUNT }, (_, index) => scenarioOf(SEED, index));
  const wrong = await inParallel(scenarios, AT_ONCE, async (scenario) => {
    const since = Date.now();
    const found = await played(scenario).catch((error: unknown) => [`${scenario.id}: ${String(error)}`]);
    const seconds = Math.round((Date.now() - since) / 1000);
    process.stderr.write(`${seconds} s, ${scenario.told}\n${found.map((one) => `  WRONG ${one}\n`).join('')}`);
    return found;
  });
  process.stderr.write(`${refused.length} did not start: ${refused.join(', ')}\n`);
  process.stderr.write(`foretold: ${[...tally].map(([outcome, times]) => `${times} ${outcome}`).join(', ')}\n`);
  assert.deepEqual(wrong.flat(), []);
  assert.ok(refused.length <= COUNT / 4, 'most scenarios show something');
});

async function played(scenario: Scenario): Promise<readonly string[]> {
  if (!(await setUp(scenario))) return [];
  switch (scenario.act) {
    case 'fail':
    case 'fail-zone':
      return fail(scenario);
    case 'drain':
      return drain(scenario);
    case 'add-node':
      return addNode(scenario);
    default:
      return scenario.act satisfies never;
  }
}

/** False where not all pods come up. */
async function setUp({ id, nodes, storage, workloads, budgets, cordoned }: Scenario): Promise<boolean> {
  const { api } = controlPlane;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } };
  await api.create<KubernetesObject>(namespace);
  await join(nodes);
  for (const object of storage) await api.create(object);
  const rest = nodes.slice(1).map(({ metadata }) => metadata?.name ?? '');
  await Promise.all(rest.map((name) => cordon(name, true)));
  for (const { object } of workloads.filter(({ apart }) => !apart)) await api.create(object);
  const start = (some: readonly ScenarioWorkload[]): Promise<boolean> =>
    until('all pods to run', async () => some.every((one) => isUp(id, one, [])), PATIENT).catch(() => false);
  const first = await start(workloads.filter(({ apart }) => !apart));
  await Promise.all(rest.map((name) => cordon(name, false)));
  for (const { object } of workloads.filter(({ apart }) => apart)) await api.create(object);
  const isWhole = first && (await start(workloads));
  if (!isWhole) refused.push(id);
  if (cordoned !== undefined) await cordon(cordoned, true);
  for (const object of budgets) await api.create(object);
  return isWhole;
}

/** Nodes that are taken for Ready, and go on to be so. */
async function join(nodes: readonly KubernetesObject[]): Promise<void> {
  for (const node of nodes) {
    await controlPlane.api.create(node);
    await heartbeats.begin(node.metadata?.name ?? '');
  }
  await until(
    'the nodes to be Ready',
    async () =>
      nodes.every(({ metadata }) => {
        const taints = world.nodes.get('', metadata?.name ?? '')?.spec?.taints;
        return taints?.every(({ key }) => key !== 'node.kubernetes.io/not-ready');
      }),
    PATIENT,
  );
}

async function fail({ id, act, going, nodes, workloads }: Scenario): Promise<readonly string[]> {
  const [zone = ''] = nodes.map(({ metadata }) => metadata?.labels?.['topology.kubernetes.io/zone']);
  const happening: Happening =
    act === 'fail' ? { type: 'fail', node: going[0], zone: undefined } : { type: 'fail', node: undefined, zone };
  const foretold = await affectedIn(id, happening);
  for (const node of going) {
    heartbeats.end(node);
    kubelets.silence(node);
  }
  await sleep(SETTLED_MS);
  const wrong: string[] = [];
  for (const one of workloads) wrong.push(...(await compared(id, one, foretold, going, 'the node failed')));
  for (const one of workloads) wrong.push(...evictedAsForetold(id, one, foretold, going));
  for (const node of going) await fence(node);
  // Pods are collected every 20 s.
  const fenced = foretold.filter(
    ({ outcome, story }) => outcome === 'hangs' && !story.some(({ says }) => says.startsWith('and then it depends')),
  );
  for (const { resource } of fenced) {
    const one = workloads.find(({ name }) => name === resource.name);
    const isBack = one && (await until('it to be back', async () => isUp(id, one, going), PATIENT).catch(() => false));
    if (!isBack) wrong.push(`${id} ${resource.name} is not back once its node is fenced`);
  }
  if (foretold.some(({ outcome }) => outcome === 'cannot')) await sleep(25_000);
  for (const { resource, mayComeUp } of foretold.filter(({ outcome }) => outcome === 'cannot')) {
    const one = workloads.find(({ name }) => name === resource.name);
    if (one !== undefined && !mayComeUp && isUp(id, one, going))
      wrong.push(`${id} ${one.name} came up once its node was fenced`);
  }
  return wrong;
}

/** The old pods are told to go, or left as they are. */
function evictedAsForetold(
  id: string,
  workload: ScenarioWorkload,
  foretold: readonly Affected[],
  going: readonly string[],
): readonly string[] {
  const one = foretold.find(({ resource }) => resource.name === workload.name);
  if (one === undefined || workload.kind === 'DaemonSet') return [];
  const isEvicted = one.story.some(({ says }) => says.startsWith('its pods there are deleted'));
  const old = podsOf(id, workload).filter(({ spec }) => going.includes(spec?.nodeName ?? ''));
  const isRight = old.every(({ metadata }) => (metadata?.deletionTimestamp !== undefined) === isEvicted);
  return isRight && old.length > 0 ? [] : [`${id} ${workload.name} is ${isEvicted ? 'not ' : ''}evicted`];
}

async function drain({ id, going, workloads }: Scenario): Promise<readonly string[]> {
  const [node = ''] = going;
  const foretold = await affectedIn(id, { type: 'drain', node });
  const args = ['drain', node, '--ignore-daemonsets', '--timeout=15s'];
  await controlPlane.kubectl(controlPlane.adminKubeconfig, args, { timeoutMs: 30_000 });
  await sleep(5000);
  const wrong: string[] = [];
  for (const one of workloads) {
    // What a Job's pod says at its end is the kubelet's word, and this one says that it went well.
    if (one.kind !== 'Job') wrong.push(...(await compared(id, one, foretold, going, 'the node was drained')));
  }
  return wrong;
}

/** Whether what was foretold of a workload is so. */
async function compared(
  id: string,
  workload: ScenarioWorkload,
  foretold: readonly Affected[],
  going: readonly string[],
  after: string,
): Promise<readonly string[]> {
  const one = foretold.find(({ resource }) => resource.name === workload.name);
  const says = (what: string): readonly string[] => [
    `${id} ${workload.kind} ${workload.name} ${what} after ${after}, foretold ${JSON.stringify(one)}, is ${podsInWords(id, workload)}`,
  ];
  const outcome = one?.outcome ?? 'comes-up';
  switch (outcome) {
    case 'comes-up': {
      const up = async (): Promise<boolean> => isUp(id, workload, going);
      const isBack = await until('it to come up', up, PATIENT).catch(() => false);
      return isBack ? [] : says('did not come up');
    }
    case 'hangs':
    case 'cannot':
      return !one?.mayComeUp && isUp(id, workload, going) ? says('came up') : [];
    case 'blocked':
      return podsOf(id, workload).some(({ spec }) => going.includes(spec?.nodeName ?? '')) ? [] : says('was evicted');
    case 'stays':
      return podsOf(id, workload).some(({ spec }) => going.includes(spec?.nodeName ?? '')) ? [] : says('went');
    case 'lost':
    case 'open':
      return says('is one of which something is known');
    default:
      return outcome satisfies never;
  }
}

async function addNode({ id, going, workloads }: Scenario): Promise<readonly string[]> {
  const [node = ''] = going;
  const { armed } = await asked({ type: 'add-node', like: node });
  const rulesOf = (name: string): readonly string[] =>
    armed.flatMap(({ rule, resource }) => (resource.namespace === id && resource.name === name ? [rule] : []));
  await join([oneMore(id)]);
  // The scheduler is led to the worst it may do.
  await cordon(node, true);
  const { api } = controlPlane;
  for (const { kind, name, object } of workloads) {
    const again = { spec: { template: { metadata: { annotations: { again: 'yes' } } } } };
    const key = { apiVersion: object.apiVersion ?? '', kind, namespace: id, name };
    if (kind !== 'Job') await api.patch(key, 'merge', again);
  }
  const wrong: string[] = [];
  for (const one of workloads) {
    const found = rulesOf(one.name);
    const isNew = async (): Promise<boolean> => podsOf(id, one).every(isOfAgain) && isUp(id, one, []);
    const isDone = await until('its rollout to end', isNew, found.length > 0 ? A_WHILE : PATIENT).catch(() => false);
    // What is not certain of a rollout, such as that replicas part, need not come about.
    count(found.length > 0 ? 'armed' : 'not armed');
    const isForetold = isDone ? !found.includes('rollout-deadlock') : found.length > 0;
    if (!isForetold)
      wrong.push(`${id} ${one.kind} ${one.name} was ${isDone ? '' : 'not '}rolled out, armed: ${found.join()}`);
  }
  return wrong;
}

function isOfAgain({ metadata }: V1Pod): boolean {
  return metadata?.annotations?.again === 'yes';
}

function podsOf(id: string, { name }: ScenarioWorkload): readonly V1Pod[] {
  return world.pods.in(id).filter(({ metadata }) => metadata?.labels?.app === name);
}

/** Whether as many pods as are wanted are ready on nodes that have not gone. */
function isUp(id: string, workload: ScenarioWorkload, going: readonly string[]): boolean {
  const ready = podsOf(id, workload).filter(
    ({ metadata, spec, status }) =>
      metadata?.deletionTimestamp === undefined &&
      spec?.nodeName !== undefined &&
      !going.includes(spec.nodeName) &&
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  );
  return ready.length >= workload.replicas;
}

function podsInWords(id: string, workload: ScenarioWorkload): string {
  return podsOf(id, workload)
    .map(({ metadata, spec, status }) => {
      const ready = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
      return `${metadata?.name} ${spec?.nodeName} ${ready ? 'ready' : 'waits'}${metadata?.deletionTimestamp ? ' deleted' : ''}`;
    })
    .join(', ');
}

async function cordon(name: string, unschedulable: boolean): Promise<void> {
  await controlPlane.api.patch({ apiVersion: 'v1', kind: 'Node', name }, 'merge', { spec: { unschedulable } });
}

/** Says that the machine of the node is off. The node lifecycle controller writes taints, too. */
async function fence(name: string): Promise<void> {
  const key = { apiVersion: 'v1', kind: 'Node', name };
  const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
  await until('the node to be fenced', async () => {
    const { metadata, spec } = await controlPlane.api.get<V1Node & KubernetesObject>(key);
    const { resourceVersion } = metadata ?? {};
    const taints = [...(spec?.taints ?? []), taint];
    try {
      await controlPlane.api.patch(key, 'merge', { metadata: { resourceVersion }, spec: { taints } });
      return true;
    } catch (error) {
      if (error instanceof KubernetesApiError && error.code === 409) return false;
      throw error;
    }
  });
}

async function affectedIn(id: string, happening: Happening): Promise<readonly Affected[]> {
  const affected = (await asked(happening)).affected.filter(({ resource }) => resource.namespace === id);
  for (const { outcome, mayComeUp } of affected) count(`${mayComeUp ? 'may be ' : ''}${outcome}`);
  return affected;
}

function count(what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}

interface Asked {
  readonly affected: readonly Affected[];
  readonly armed: readonly { readonly rule: string; readonly resource: Affected['resource'] }[];
}

/** As on the command line. */
async function asked(happening: Happening): Promise<Asked> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = text(stdout);
  const around = { stdout, stderr, now: Date.now, stopRequested: () => new AbortController().signal };
  const code = await whatIf(happening, { kubeconfig: controlPlane.adminKubeconfig, format: 'json' }, around);
  stdout.end();
  assert.equal(code, 0);
  return JSON.parse(await printed) as Asked;
}
