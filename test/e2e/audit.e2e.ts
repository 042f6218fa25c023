import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { openReportsCrd } from '../openreports/crd.ts';
import { COUNT, HAZARDS, manifests, NAMESPACES, nameOf, WORKLOADS } from './audited-workloads.ts';
import { type GuardProcess, startGuardProcess } from './guard-process.ts';
import { KUSTOMIZATION, kubectl } from './installation.ts';
import { cluster as clusterManifest, documents, namespace } from './webhook-manifests.ts';

/** What the issue asks for: so soon after a node came, all is told. */
const WITHIN = { timeoutMs: 10_000, everyMs: 200 };

const CONFIG = `metricsNamespaces: [team-0]\n`;

const EVENT = { apiVersion: 'events.k8s.io/v1', kind: 'Event' };
const REPORT = { apiVersion: 'openreports.io/v1alpha1', kind: 'Report' };

interface Event extends KubernetesObject {
  readonly reason: string;
  readonly type: string;
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly series?: { readonly count: number };
}

interface Report extends KubernetesObject {
  readonly scope: Event['regarding'];
  readonly summary: { readonly fail: number; readonly warn: number };
  readonly results: readonly { readonly policy: string; readonly result: string }[];
}

let cluster: ControlPlane;
let guards: GuardProcess[] = [];

before(async () => {
  cluster = await startControlPlane();
  const around = documents(...NAMESPACES.map((name) => namespace(name)), clusterManifest());
  await typed(around, 'apply', '-f', '-');
  for (const node of ['b', 'c']) await kubectl(cluster, 'delete', 'node', node);
  await typed(manifests(WORKLOADS), 'create', '-f', '-');
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  guards = [await startGuardProcess(cluster, CONFIG), await startGuardProcess(cluster, CONFIG)];
});

after(async () => {
  await Promise.all(guards.map((guard) => guard.stop()));
  await cluster?.stop();
});

test('on one node nothing is wrong, and one of two replicas says so', async () => {
  const leader = await leading();
  await until('everything was judged', async () => (await gauge(leader, 'pending_objects')) === 0);
  assert.equal(await findings(leader), 0);
  assert.deepEqual(await events(), []);
  const [other] = guards.filter((guard) => guard !== leader);
  assert.equal(await gauge(other, 'leader'), 0);
  assert.deepEqual(await seriesOf(other, 'rwo_guard_audit_findings'), []);
});

test(`with a second node, half of ${COUNT} workloads are told of within ten seconds, and nothing else`, async (t) => {
  const since = Date.now();
  await addNode('b');
  const told = await until('an Event for each', async () => atLeast(HAZARDS.length, await events()), WITHIN);
  t.diagnostic(`events after ${Date.now() - since} ms`);
  assert.deepEqual(new Set(told.map(regarding)), new Set(HAZARDS));
  assert.equal(told.length, HAZARDS.length);
  assert.deepEqual(new Set(told.map(({ type }) => type)), new Set(['Warning']));
  const leader = await leading();
  assert.equal(await findings(leader), HAZARDS.length);
  const ofTeam = WORKLOADS.filter((one) => one.isHazard && one.namespace === 'team-0').length;
  const byNamespace = await seriesOf(leader, 'rwo_guard_audit_namespace_findings');
  assert.equal(sum(byNamespace.filter((line) => line.includes('resource_namespace="team-0"'))), ofTeam);
  assert.equal(sum(byNamespace), HAZARDS.length);
});

test('kubectl describe shows what is wrong', async () => {
  const described = await kubectl(cluster, '--namespace', 'team-0', 'describe', 'deployment', 'w-0');
  assert.match(described, /Warning +RolloutDeadlockRisk .*its next rollout can hang for ever/);
});

test('OpenReports that is installed later gets a Report for each', async () => {
  await kubectl(cluster, 'apply', '-f', await openReportsCrd());
  const reports = await until('the Reports', async () => atLeast(HAZARDS.length, await allReports()));
  assert.deepEqual(new Set(reports.map(({ scope }) => nameOf(scope))), new Set(HAZARDS));
  assert.equal(reports.length, HAZARDS.length);
  assert.ok(reports.every(({ summary, results }) => summary.fail + summary.warn === 1 && results.length === 1));
});

test('a Deployment that is mended is told of once more, and its Report goes', async () => {
  await mend('team-0', 'w-0');
  await until('its end', async () => (await events()).find(({ reason }) => reason === 'RolloutDeadlockRiskResolved'));
  const ended = (await events()).filter(({ reason }) => reason.endsWith('Resolved'));
  assert.deepEqual(ended.map(regarding), ['Deployment team-0/w-0']);
  await until('its Report to go', async () => (await allReports()).length === HAZARDS.length - 1);
  assert.equal(await findings(await leading()), HAZARDS.length - 1);
});

test('when the leader is killed another one leads within 15 seconds, and tells nothing twice', async (t) => {
  const before = (await events()).length;
  const leader = await leading();
  await leader.kill();
  const since = Date.now();
  guards = guards.filter((guard) => guard !== leader);
  await mend('team-6', 'w-36');
  const next = await until('another leader', async () => (await leads(guards[0])) && guards[0], { timeoutMs: 15_000 });
  t.diagnostic(`leadership moved in ${Date.now() - since} ms`);
  await until('the end of what was mended meanwhile', async () =>
    (await events()).find(
      (event) => event.reason.endsWith('Resolved') && regarding(event) === 'Deployment team-6/w-36',
    ),
  );
  await until('everything was judged', async () => (await gauge(next, 'pending_objects')) === 0);
  await sleep(2_000);
  const told = await events();
  assert.equal(told.length, before + 1);
  assert.deepEqual(
    told.filter(({ series }) => series !== undefined),
    [],
  );
  assert.equal((await allReports()).length, HAZARDS.length - 2);
  guards.push(await startGuardProcess(cluster, CONFIG));
});

test('after a minute without an API server nothing is told twice, and what is new is told', async () => {
  const before = (await events()).length;
  await cluster.kill('kube-apiserver');
  await sleep(60_000);
  await cluster.restart('kube-apiserver');
  const late = { kind: 'Deployment', namespace: 'team-1', name: 'late', isHazard: true };
  await until('a workload to be applied', () => typed(manifests([late]), 'apply', '-f', '-').then(() => true));
  const told = await until(
    'it to be told of',
    async () => {
      const all = await events();
      return all.some((event) => regarding(event) === nameOf(late) && event.type === 'Warning') && all;
    },
    { timeoutMs: 60_000 },
  );
  assert.equal(told.length, before + 1);
  assert.deepEqual(
    told.filter(({ series }) => series !== undefined),
    [],
  );
  assert.equal((await Promise.all(guards.map(leads))).filter(Boolean).length, 1);
});

test('without the second node all of it ends; with another one it is told of again, as once more', async (t) => {
  const standing = (await allReports()).length;
  await kubectl(cluster, 'delete', 'node', 'b');
  await until('the Reports to go', async () => (await allReports()).length === 0);
  await until('an end for each', async () => {
    const all = await events();
    return all.filter(({ reason }) => reason.endsWith('Resolved')).length === standing + 2;
  });
  assert.equal(await findings(await leading()), 0);
  const since = Date.now();
  await addNode('c');
  await until('the Reports', async () => (await allReports()).length === standing, WITHIN);
  await until(
    'the Events',
    async () => {
      const all = await events();
      return all.filter(({ series }) => series?.count === 2).length === standing;
    },
    WITHIN,
  );
  t.diagnostic(`all again after ${Date.now() - since} ms`);
});

test('a leader that is stopped gives the lease back', async (t) => {
  const leader = await leading();
  guards = guards.filter((guard) => guard !== leader);
  await leader.stop();
  const since = Date.now();
  await until('another leader', () => leads(guards[0]), { timeoutMs: 5_000 });
  t.diagnostic(`lease given back and taken in ${Date.now() - since} ms`);
});

test('the audit never failed but while there was nobody to answer', async () => {
  for (const guard of guards) {
    const judging = await seriesOf(guard, 'rwo_guard_audit_errors_total');
    assert.deepEqual(
      judging.filter((line) => /what="judging"/.test(line) && !line.endsWith(' 0')),
      [],
    );
    assert.doesNotMatch(guard.log(), /ended by a bug|cannot judge/);
  }
});

async function typed(stdin: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await cluster.kubectl(cluster.adminKubeconfig, args, { stdin });
  assert.equal(code, 0, stderr);
}

async function addNode(name: string): Promise<void> {
  const metadata = { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } };
  await cluster.api.create({ apiVersion: 'v1', kind: 'Node', metadata });
}

async function mend(inNamespace: string, name: string): Promise<void> {
  const key = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: inNamespace, name };
  await cluster.api.patch(key, 'merge', { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } });
}

async function events(): Promise<readonly Event[]> {
  const all = await cluster.api.list<Event>(EVENT, { labelSelector: 'app.kubernetes.io/managed-by=rwo-guard' });
  return all.toSorted((one, other) => regarding(one).localeCompare(regarding(other)));
}

function allReports(): Promise<readonly Report[]> {
  return cluster.api.list<Report>(REPORT);
}

function atLeast<T>(count: number, all: readonly T[]): readonly T[] | undefined {
  return all.length >= count ? all : undefined;
}

function regarding({ regarding: { kind, namespace: where, name } }: Event): string {
  return nameOf({ kind, namespace: where, name });
}

async function leading(): Promise<GuardProcess> {
  return until('a leader', async () => {
    const all = await Promise.all(guards.map(leads));
    return guards[all.indexOf(true)];
  });
}

async function leads(guard: GuardProcess | undefined): Promise<boolean> {
  return (await gauge(guard, 'leader')) === 1;
}

async function gauge(guard: GuardProcess | undefined, name: string): Promise<number | undefined> {
  const [line] = await seriesOf(guard, `rwo_guard_audit_${name}`);
  return line === undefined ? undefined : sum([line]);
}

async function findings(guard: GuardProcess): Promise<number> {
  return sum(await seriesOf(guard, 'rwo_guard_audit_findings'));
}

async function seriesOf(guard: GuardProcess | undefined, name: string): Promise<readonly string[]> {
  const text = (await guard?.metrics()) ?? '';
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

function sum(lines: readonly string[]): number {
  return lines.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
}
