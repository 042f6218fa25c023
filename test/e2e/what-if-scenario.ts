import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { type Random, randomForScenario } from '../oracle/random.ts';

/** What is done to a small cluster of its own. */
export type Act = 'fail' | 'fail-zone' | 'drain' | 'add-node';

export interface ScenarioWorkload {
  readonly name: string;
  readonly kind: 'Deployment' | 'StatefulSet' | 'Job' | 'DaemonSet';
  readonly replicas: number;
  /** Its pods keep apart, and so come when all nodes are open. */
  readonly apart: boolean;
  readonly object: KubernetesObject;
}

export interface Scenario {
  readonly id: string;
  readonly act: Act;
  /** The first one has the pods, and goes. */
  readonly nodes: readonly KubernetesObject[];
  /** The nodes that go. */
  readonly going: readonly string[];
  readonly storage: readonly KubernetesObject[];
  readonly workloads: readonly ScenarioWorkload[];
  readonly budgets: readonly KubernetesObject[];
  /** A node that is cordoned once the pods run. */
  readonly cordoned: string | undefined;
  /** In one line. */
  readonly told: string;
}

const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const HOSTNAME = 'kubernetes.io/hostname';
export const DRIVER = 'what-if.example.com';

const ACTS: readonly Act[] = ['fail', 'drain', 'add-node', 'fail', 'fail-zone', 'drain', 'fail'];

/** The same for the same seed and number. */
export function scenarioOf(seed: number, index: number): Scenario {
  const random = randomForScenario(seed, index);
  const act = ACTS[index % ACTS.length] ?? 'fail';
  const id = `s${seed}-${index}`;
  const zones =
    act === 'add-node' ? ['a'] : ['a', ...Array.from({ length: random.between(1, 3) }, () => random.pick(['a', 'b']))];
  const nodes = zones.map((zone, number) => nodeOf(id, number, zone));
  const names = nodes.map(({ metadata }) => metadata?.name ?? '');
  const going = act === 'fail-zone' ? names.filter((_, at) => zones[at] === 'a') : names.slice(0, 1);
  const drafts = Array.from({ length: random.between(1, 3) }, (_, at) => draftOf(random, { id, act, at }));
  const cordoned = act !== 'add-node' && random.chance(0.2) ? names[random.between(1, names.length - 1)] : undefined;
  const budgets = act === 'drain' ? drafts.filter(() => random.chance(0.25)).map((draft) => budgetOf(id, draft)) : [];
  return {
    ...{ id, act, nodes, going, cordoned, budgets },
    storage: [...new Map(drafts.flatMap(storageOf).map((one) => [`${one.kind} ${one.metadata?.name}`, one])).values()],
    workloads: drafts.map(workloadOf),
    told: `${id} ${act} zones ${zones.join('')}${cordoned === undefined ? '' : ` cordoned ${cordoned}`}: ${drafts
      .map(({ id: _, node: __, ...draft }) => JSON.stringify(draft))
      .join(' ')} ${budgets.map(({ metadata }) => `budget ${metadata?.name}`).join(' ')}`,
  };
}

/** One more node like the first. */
export function oneMore(id: string): KubernetesObject {
  return nodeOf(id, 9, 'a');
}

interface Draft {
  readonly id: string;
  readonly node: string;
  readonly name: string;
  readonly kind: ScenarioWorkload['kind'];
  readonly replicas: number;
  readonly claim: string | undefined;
  readonly mode: string;
  /** Nothing is attached. */
  readonly nfs: boolean;
  readonly pinned: 'node' | 'zone' | undefined;
  readonly apart: boolean;
  readonly inZone: boolean;
  readonly recreate: boolean;
  readonly forEver: boolean;
  readonly onlyFailed: boolean;
}

function draftOf(random: Random, { id, act, at }: { id: string; act: Act; at: number }): Draft {
  const kind = random.weighted([
    ['Deployment', 5],
    ['StatefulSet', 3],
    ['Job', act === 'add-node' ? 0 : 1],
    ['DaemonSet', 1],
  ] as const);
  const mode = random.weighted([
    ['ReadWriteOnce', 6],
    ['ReadWriteMany', 2],
    ['ReadWriteOncePod', act === 'add-node' ? 0 : 1],
  ] as const);
  // The first claim is the one that workloads share.
  const shared = random.chance(0.3) && kind === 'Deployment' && mode === 'ReadWriteOnce';
  const holds = kind === 'StatefulSet' || (kind !== 'DaemonSet' && random.chance(0.85));
  const apart =
    kind === 'Deployment' && mode === 'ReadWriteMany' && !shared && act !== 'add-node' && random.chance(0.5);
  return {
    ...{ id, kind, apart, mode: kind === 'StatefulSet' ? 'ReadWriteOnce' : mode },
    node: `${id}-n0`,
    name: `w${at}`,
    replicas: apart ? 2 : kind === 'Deployment' && mode !== 'ReadWriteOncePod' ? random.between(1, 2) : 1,
    claim: holds ? (shared ? 'shared' : `data-w${at}-0`) : undefined,
    nfs: !shared && random.chance(0.15),
    pinned:
      act === 'add-node' || shared
        ? undefined
        : random.weighted([
            [undefined, 6],
            ['zone', 2],
            ['node', 1],
          ] as const),
    inZone: act !== 'add-node' && random.chance(0.15),
    recreate: random.chance(0.5),
    forEver: random.chance(0.15),
    onlyFailed: random.chance(0.5),
  };
}

function nodeOf(id: string, number: number, zone: string): KubernetesObject {
  const name = `${id}-n${number}`;
  const allocatable = { cpu: '8', memory: '16Gi', pods: '110' };
  const node = {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: {
      name,
      labels: { [HOSTNAME]: name, [ZONE]: `${id}-${zone}`, [REGION]: id },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: { taints: [{ key: 'scenario', value: id, effect: 'NoSchedule' }] },
    status: {
      ...{ phase: 'Running', allocatable, capacity: allocatable },
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }],
    },
  };
  return node;
}

function storageOf({ id, node, claim, mode, nfs, pinned }: Draft): readonly KubernetesObject[] {
  if (claim === undefined) return [];
  const name = `${id}-${claim}`;
  const [key, value] = pinned === 'node' ? [HOSTNAME, node] : [ZONE, `${id}-a`];
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }] };
  const spec = {
    accessModes: [mode],
    storageClassName: '',
    ...(claim === 'shared' ? { accessModes: ['ReadWriteOnce'] } : {}),
  };
  const volume = {
    ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name } },
    spec: {
      ...spec,
      capacity: { storage: '1Gi' },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: id, name: claim },
      ...(nfs ? { nfs: { server: 'nfs', path: '/' } } : { csi: { driver: DRIVER, volumeHandle: name } }),
      ...(pinned === undefined ? {} : { nodeAffinity: { required } }),
    },
  };
  const wanted = {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: id, name: claim } },
    spec: { ...spec, volumeName: name, resources: { requests: { storage: '1Gi' } } },
  };
  return [volume, wanted];
}

function workloadOf(draft: Draft): ScenarioWorkload {
  const { id, name, kind, replicas, claim, apart, inZone, recreate, forEver, onlyFailed } = draft;
  const labels = { app: name };
  const unreachable = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };
  const own = kind === 'StatefulSet';
  const pod = {
    terminationGracePeriodSeconds: 1,
    tolerations: [{ key: 'scenario', operator: 'Equal', value: id }, ...(forEver ? [unreachable] : [])],
    containers: [
      { name: 'main', image: 'main', ...(claim && { volumeMounts: [{ name: 'data', mountPath: '/data' }] }) },
    ],
    ...(kind === 'Job' && { restartPolicy: 'Never' }),
    ...(inZone && { nodeSelector: { [ZONE]: `${id}-a` } }),
    ...(apart && {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: HOSTNAME, labelSelector: { matchLabels: labels } },
          ],
        },
      },
    }),
    ...(claim !== undefined && !own && { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] }),
  };
  const template = { metadata: { labels }, spec: pod };
  const selector = { matchLabels: labels };
  const claimTemplate = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
  };
  const specs = {
    Deployment: { replicas, selector, template, ...(recreate && { strategy: { type: 'Recreate' } }) },
    StatefulSet: { replicas, selector, template, serviceName: name, volumeClaimTemplates: [claimTemplate] },
    DaemonSet: { selector, template },
    Job: { template, podReplacementPolicy: onlyFailed ? 'Failed' : 'TerminatingOrFailed' },
  };
  const object = {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    ...{ kind, metadata: { namespace: id, name }, spec: specs[kind] },
  };
  return { ...{ name, kind, replicas, apart }, object };
}

/** It lets no pod go. */
function budgetOf(id: string, { name }: Draft): KubernetesObject {
  const budget = {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { namespace: id, name } },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: name } } },
  };
  return budget;
}
