import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const HOST = 'kubernetes.io/hostname';
const CHART = { labelSelector: { matchLabels: { chart: 'shop' } }, topologyKey: HOST };
const apart = (more: JsonObject = {}): JsonObject => ({
  affinity: { podAntiAffinity: { [REQUIRED]: [{ ...CHART, ...more }] } },
});
const meaning = (operator: string, ...values: readonly string[]): JsonObject => ({
  labelSelector: { matchExpressions: [{ key: 'chart', operator, values }] },
});
const SPREAD = { topologySpreadConstraints: [{ ...CHART, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] };
const listening = (hostPort: number): JsonObject => ({ containers: [{ ports: [{ hostPort }] }] });
const DATA = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };

function manifest(name: string, pod: JsonObject, namespace = 'shop'): JsonObject {
  const template = { metadata: { labels: { app: name, chart: 'shop' } }, spec: pod };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name }, spec: { template } };
}

function nearby(pod: JsonObject, others: readonly JsonObject[], budget = new Budget()) {
  const state = new ClusterState();
  for (const other of others) putObject(state, other);
  const workload = workloadFrom('Deployment', manifest('web', { ...DATA, ...pod }));
  const { pods, unknown } = gatherFacts(workload, state, storageMatrix(), budget).facts.nearby;
  return { names: pods.map((one) => one.workload.metadata.name), unknown };
}

const cases: Readonly<Record<string, readonly [pod: JsonObject, others: readonly JsonObject[], names: string[]]>> = {
  'nobody where nothing meets': [{}, [manifest('db', {})], []],
  'whom anti-affinity means': [apart(), [manifest('db', {})], ['db']],
  'whose anti-affinity means it': [{}, [manifest('db', apart())], ['db']],
  'whose anti-affinity looks into its namespace': [{}, [manifest('db', apart({ namespaces: ['shop'] }), 'x')], ['db']],
  'whose anti-affinity looks into some namespaces': [
    {},
    [manifest('db', apart({ namespaceSelector: {} }), 'x')],
    ['db'],
  ],
  'nobody whose anti-affinity means other labels': [{}, [manifest('db', apart(meaning('In', 'blog')))], []],
  'whose anti-affinity means it among others': [{}, [manifest('db', apart(meaning('In', 'blog', 'shop')))], ['db']],
  'whose anti-affinity means all but some': [{}, [manifest('db', apart(meaning('NotIn', 'blog')))], ['db']],
  'nobody whose anti-affinity stays in another namespace': [{}, [manifest('db', apart(), 'x')], []],
  'whom a spread counts': [SPREAD, [manifest('db', {}), manifest('far', {}, 'x')], ['db']],
  'who has the same host port, anywhere': [listening(80), [manifest('db', listening(80), 'x')], ['db']],
  'nobody who has another host port': [listening(80), [manifest('db', listening(81))], []],
  'nobody whose pods end': [apart(), [{ ...manifest('db', apart()), apiVersion: 'batch/v1', kind: 'Job' }], []],
  'nobody that is the workload itself': [apart(), [manifest('web', apart())], []],
  'nobody where there is no volume': [{ ...apart(), volumes: [] }, [manifest('db', apart())], []],
};

for (const [whom, [pod, others, names]] of Object.entries(cases)) {
  test(`gathered as nearby is ${whom}`, () => assert.deepEqual(nearby(pod, others), { names, unknown: [] }));
}

test('of many that are nearby the first are gathered, and that there are more is said', () => {
  const many = Array.from({ length: 9 }, (_, index) => manifest(`db-${9 - index}`, {}));
  const { names, unknown } = nearby(apart(), many);
  assert.deepEqual(names, ['db-1', 'db-2', 'db-3', 'db-4', 'db-5', 'db-6', 'db-7', 'db-8']);
  assert.equal(unknown.length, 1);
});

test('a crowd that keeps away from everybody costs no more than a few hundred', () => {
  const spent = [201, 2_000].map((workloads) => {
    const budget = new Budget();
    const crowd = Array.from({ length: workloads }, (_, index) => manifest(`db-${index}`, apart()));
    nearby({}, crowd, budget);
    return budget.spent;
  });
  assert.equal(spent[1], spent[0]);
});
