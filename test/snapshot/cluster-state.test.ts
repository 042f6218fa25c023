import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknown } from '../../src/objects/fact.ts';
import { autoscalerFrom } from '../../src/objects/horizontal-pod-autoscaler.ts';
import { KINDS, LISTS, type ListName, WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { nodeFrom } from '../../src/objects/node.ts';
import { volumeFrom } from '../../src/objects/persistent-volume.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

/** Which look-ups nobody can answer while this list is missing. */
function openWithout(missing: ListName): readonly string[] {
  const state = new ClusterState((list) => (list === missing ? unknown(`${list} are not listed`) : KNOWN));
  const facts = {
    claim: state.get('PersistentVolumeClaim', 'shop', 'a'),
    volume: state.get('PersistentVolume', '', 'a'),
    volumesOnDisk: state.volumesOnDisk('a'),
    volumesKeptFor: state.volumesKeptFor('shop', 'a'),
    freeVolumes: state.freeVolumes('a'),
    storageClass: state.get('StorageClass', '', 'a'),
    defaultStorageClass: state.defaultStorageClass(),
    csiDriver: state.get('CSIDriver', '', 'a'),
    runtimeClass: state.get('RuntimeClass', '', 'a'),
    namespace: state.get('Namespace', '', 'a'),
    nodes: state.nodes(),
    autoscalersOf: state.autoscalersOf('Deployment', 'shop', 'a'),
    ...Object.fromEntries(WORKLOAD_KINDS.map((kind) => [kind, state.get(kind, 'shop', 'a')])),
  };
  const open = Object.entries(facts).flatMap(([name, fact]) => (fact.known ? [] : [[name, fact.because]]));
  for (const [name, because] of open) assert.equal(because, `${missing} are not listed`, name);
  return open.map(([name = '']) => name);
}

const KNOWN = { known: true, value: true } as const;

const open: Readonly<Partial<Record<ListName, readonly string[]>>> = {
  nodes: ['nodes'],
  persistentvolumeclaims: ['claim'],
  persistentvolumes: ['volume', 'volumesOnDisk', 'volumesKeptFor', 'freeVolumes'],
  storageclasses: ['storageClass', 'defaultStorageClass'],
  csidrivers: ['csiDriver'],
  runtimeclasses: ['runtimeClass'],
  namespaces: ['namespace'],
  horizontalpodautoscalers: ['autoscalersOf'],
  ...Object.fromEntries(WORKLOAD_KINDS.map((kind) => [KINDS[kind].list, [kind]])),
};

for (const list of LISTS) {
  test(`while ${list} are not listed, what they would tell is unknown and nothing else is`, () => {
    assert.deepEqual(openWithout(list), open[list]);
  });
}

test('the users of a claim are all that can be listed, and the rest is named', () => {
  const state = new ClusterState((list) => (list === 'jobs' ? unknown('jobs are not listed') : KNOWN));
  for (const kind of WORKLOAD_KINDS) state.tables[kind].set('shop/a', mounting(kind));
  const { workloads, unknown: because } = state.workloadsMounting('shop', 'data');
  assert.deepEqual(
    workloads.map(({ kind }) => kind),
    WORKLOAD_KINDS.filter((kind) => kind !== 'Job'),
  );
  assert.deepEqual(because, ['jobs are not listed']);
  assert.deepEqual(state.workloadsMounting('blog', 'data').workloads, []);
  assert.deepEqual(state.workloadsMounting('shop', 'logs').workloads, []);
});

test('the StatefulSet whose pod has a claim for itself is known while StatefulSets are listed', () => {
  const spec = { volumeClaimTemplates: [{ metadata: { name: 'data' } }] };
  const owners = (available: boolean, claim: string) => {
    const state = new ClusterState((list) => (available || list !== 'statefulsets' ? KNOWN : unknown('not listed')));
    state.tables.StatefulSet.set(
      'shop/db',
      workloadFrom('StatefulSet', { metadata: { namespace: 'shop', name: 'db' }, spec }),
    );
    return state.workloadsMounting('shop', claim).workloads.map(({ metadata }) => metadata.name);
  };
  assert.deepEqual(owners(true, 'data-db-0'), ['db']);
  assert.deepEqual(owners(true, 'data-db-1'), []);
  assert.deepEqual(owners(true, 'data'), []);
  assert.deepEqual(owners(false, 'data-db-0'), []);
});

test('of very many free volumes nobody knows which one a claim gets, and the class is named', () => {
  const because = (storageClassName: string) => {
    const all = new ClusterState();
    for (let n = 0; n < 65; n++)
      all.tables.PersistentVolume.set(`v${n}`, volumeFrom({ metadata: { name: `v${n}` }, spec: { storageClassName } }));
    const free = all.freeVolumes(storageClassName);
    return free.known ? free.value.length : free.because;
  };
  assert.equal(because(''), 'more than 64 volumes of no class are free');
  assert.equal(because('disks'), 'more than 64 volumes of class disks are free');
});

function mounting(kind: (typeof WORKLOAD_KINDS)[number]) {
  const template = { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] } };
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
  return workloadFrom(kind, { metadata: { namespace: 'shop', name: 'a' }, spec });
}

test('a workload is found by its kind, its namespace and its name together', () => {
  const state = new ClusterState();
  state.tables.Deployment.set('shop/a', mounting('Deployment'));
  const isThere = (...at: Parameters<ClusterState['get']>) => {
    const found = state.get(...at);
    return found.known && found.value !== undefined;
  };
  assert.equal(isThere('Deployment', 'shop', 'a'), true);
  assert.equal(isThere('StatefulSet', 'shop', 'a'), false);
  assert.equal(isThere('Deployment', 'blog', 'a'), false);
  assert.equal(isThere('Deployment', 'shop', 'b'), false);
});

test('an autoscaler is found by the kind, the namespace and the name of its target together', () => {
  const state = new ClusterState();
  const spec = { scaleTargetRef: { kind: 'Deployment', name: 'a' }, maxReplicas: 3 };
  state.tables.HorizontalPodAutoscaler.set(
    'shop/more',
    autoscalerFrom({ metadata: { namespace: 'shop', name: 'more' }, spec }),
  );
  const most = (...at: Parameters<ClusterState['autoscalersOf']>) => {
    const found = state.autoscalersOf(...at);
    return found.known && found.value.map(({ maxReplicas }) => maxReplicas);
  };
  assert.deepEqual(most('Deployment', 'shop', 'a'), [3]);
  assert.deepEqual(most('StatefulSet', 'shop', 'a'), []);
  assert.deepEqual(most('Deployment', 'blog', 'a'), []);
  assert.deepEqual(most('Deployment', 'shop', 'b'), []);
});

test('the table of nodes knows those that came and did not go', () => {
  const { tables } = new ClusterState();
  for (const name of ['a', 'b']) tables.Node.set(name, nodeFrom({ metadata: { name } }));
  tables.Node.delete('a');
  assert.deepEqual([...tables.Node.keys()], ['b']);
});
