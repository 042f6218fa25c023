import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import {
  type Around,
  type Described,
  disk,
  ELSEWHERE,
  foretold,
  heldTo,
  JOB,
  manifest,
  NO_NODE,
  ONE_POD,
  PORT,
  TOO_FEW,
} from './scene.ts';

test('another user of the claim is named, and how its pods get in the way', () => {
  assert.deepEqual(foretold({}, { others: [JOB] }).certain.shared, [
    { user: 'Job backup', workload: { kind: 'Job', namespace: 'shop', name: 'backup' }, reasons: [ELSEWHERE] },
  ]);
});

test('another user of the claim on the only node is in nobody’s way, nor one to which a pod is held', () => {
  assert.deepEqual(foretold({}, { others: [JOB], nodes: ['a1'] }).certain.shared, []);
  assert.deepEqual(foretold({ pod: heldTo('backup') }, { others: [JOB] }).certain.shared, []);
});

test('another user of the claim that was held to a pod stays when that comes again, unless some of its own stay too', () => {
  const others = [{ name: 'backup', pod: heldTo('web') }];
  const pod = heldTo('web');
  const comes = (described: Described) => reasons(described, { others, before: described, places: ['a1'] }).flat();
  const set = (replicas: number): Described => ({ kind: 'StatefulSet', spec: { replicas } });
  assert.deepEqual(reasons({}, { others }), [[ELSEWHERE]]);
  assert.deepEqual(comes({ spec: { strategy: { type: 'Recreate' } }, pod }), [ELSEWHERE]);
  assert.deepEqual(comes({ ...set(1), pod }), [ELSEWHERE]);
  assert.deepEqual(comes({ ...set(2), pod }), []);
  assert.deepEqual(comes({ pod }), []);
});

test('a Job that is held to a pod lets it wait until it ends', () => {
  const others = [{ ...JOB, pod: heldTo('web') }];
  assert.deepEqual(foretold({}, { others }).certain.shared, []);
});

test('affinity does not help two workloads of which one pod at a time may have the claim', () => {
  const held = { ...JOB, pod: heldTo('web') };
  const { shared } = foretold({}, { others: [held], objects: disk('data', 'ReadWriteOncePod') }).certain;
  assert.deepEqual(
    shared.map(({ reasons }) => reasons),
    [[ONE_POD]],
  );
});

test('kinds that are not listed may use the claim too, in the worst case only', () => {
  const { certain, possible, open } = foretold({}, { unlisted: 'jobs' });
  assert.deepEqual([certain.shared, open], [[], ['jobs are not listed']]);
  for (const { shared } of possible) {
    assert.deepEqual(shared, [{ user: 'jobs are not listed', reasons: [ELSEWHERE] }]);
  }
});

test('who shares the claim matters only to pods that start', () => {
  const shared = (described: Described, before?: Described) =>
    foretold(described, { others: [JOB], ...(before && { before }) }).certain.shared.length;
  assert.equal(shared({ spec: { replicas: 0 } }), 0);
  assert.equal(shared({ spec: { paused: true } }), 0);
  assert.equal(shared({ spec: { paused: true } }, { spec: { paused: true } }), 0);
  assert.equal(shared({ spec: { paused: true, replicas: 2 } }, { spec: { paused: true } }), 1);
  const onDelete = { kind: 'StatefulSet' as const, spec: { updateStrategy: { type: 'OnDelete' } } };
  assert.equal(shared(onDelete, onDelete), 0);
  assert.equal(shared(onDelete), 1);
});

/** Why pods of another user of the claim get in the way, or the next run. */
function reasons(described: Described, around: Around) {
  return foretold(described, around).certain.shared.map(({ reasons: why }) => why);
}

test('a workload that is held to one user of its volume is with the others too', () => {
  const report = { ...JOB, name: 'report' };
  assert.deepEqual(reasons({ pod: heldTo('backup') }, { others: [JOB, report] }), []);
});

test('runs of a CronJob that are held to another user of the volume are with each other too', () => {
  const cronJob: Described = { kind: 'CronJob', name: 'backup', pod: heldTo('web') };
  assert.deepEqual(reasons(cronJob, { others: [{}] }), []);
});

test('a neighbour on the node that a pod goes to holds nobody there, as affinity would', () => {
  const neighbour = { ...JOB, pod: { nodeName: 'b1' } };
  const { rollout } = foretold(
    { pod: { nodeName: 'b1' } },
    { others: [neighbour], before: { pod: { nodeName: 'a1' } } },
  ).certain;
  assert.deepEqual(rollout.reasons, [ELSEWHERE]);
});

test('affinity of a Job to pods of the same revision is to any of them, as its own pods have none', () => {
  const held = { ...JOB, pod: heldTo('web', { matchLabelKeys: ['controller-revision-hash'] }) };
  assert.deepEqual(reasons(held, { others: [{}] }), []);
});

test('a pod that is held to those of another workload may join them, because a cordon passes', () => {
  const around = { others: [JOB], nodes: ['a1', 'b1'], cordoned: ['b1'] };
  assert.deepEqual(reasons({ pod: heldTo('backup') }, around), []);
});

test('a pod with the host port of another user of its volume waits on another node for that, and on one node for the port', () => {
  const others = [{ ...JOB, pod: PORT }];
  assert.deepEqual(reasons({ pod: PORT }, { others, nodes: ['a1', 'b1'] }), [[ELSEWHERE]]);
  assert.deepEqual(reasons({ pod: PORT }, { others, nodes: ['a1'] }), []);
  assert.deepEqual(foretold({ pod: PORT }, { others, nodes: ['a1'] }).certain.steady.reasons, [NO_NODE]);
});

test('a run of two pods with a host port needs a node beside those of two runs', () => {
  const cronJob: Described = {
    kind: 'CronJob',
    claims: [],
    pod: PORT,
    spec: { jobTemplate: { spec: { parallelism: 2, template: { spec: PORT } } } },
  };
  assert.deepEqual(reasons(cronJob, { nodes: ['a1', 'b1', 'c1'] }), [[TOO_FEW]]);
  assert.deepEqual(reasons(cronJob, { nodes: ['a1', 'b1', 'c1', 'd1'] }), []);
});

test('pods that run and that nothing replaces wait for no other user of their volume', () => {
  const onDelete: Described = { kind: 'StatefulSet', spec: { updateStrategy: { type: 'OnDelete' } } };
  assert.deepEqual(reasons(onDelete, { others: [JOB], places: ['a1'] }), []);
  assert.deepEqual(reasons(onDelete, { others: [JOB] }), [[ELSEWHERE]]);
});

test('of two claims of one ReadWriteOncePod disk on one node the kubelet serves one pod', () => {
  const [volume, claim] = disk('twin', 'ReadWriteOncePod');
  const spec = { accessModes: ['ReadWriteOncePod'], csi: { driver: 'd', volumeHandle: 'data' } };
  const twin = { ...volume, spec: { ...spec, claimRef: { namespace: 'shop', name: 'twin' } } };
  const onlyOurs = disk('only-ours', 'ReadWriteOncePod');
  const objects = [...disk('data', 'ReadWriteOncePod'), ...onlyOurs, twin, claim ?? {}];
  const others: readonly Described[] = [{ ...JOB, claims: ['twin', 'more'] }];
  const claims = ['data', 'more', 'only-ours'];
  assert.deepEqual(reasons({ claims }, { others, objects, nodes: ['a1'] }), [[ONE_POD]]);
});

test('two claims of one name in two namespaces that are one disk are not one claim', () => {
  const csi = { driver: 'd', volumeHandle: 'one' };
  const claimed = (namespace: string, name: string): readonly JsonObject[] => [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace, name: 'data' },
      spec: { accessModes: ['ReadWriteOncePod'], volumeName: name },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: { accessModes: ['ReadWriteOncePod'], csi, claimRef: { namespace, name: 'data' } },
    },
  ];
  const objects = [
    ...claimed('shop', 'v'),
    ...claimed('blog', 'w'),
    { ...manifest(JOB), metadata: { namespace: 'blog', name: 'backup' } },
  ];
  const reasons = foretold({}, { objects }).certain.shared.map(({ reasons: why }) => why);
  assert.deepEqual(reasons, [[ELSEWHERE]]);
});

test('a disk that the template writes is for one pod of a node, also beside a workload that writes none', () => {
  const volumes = [{ name: 'written', gcePersistentDisk: { pdName: 'written' } }];
  const { reasons } = foretold({ volumes }, { others: [JOB], nodes: ['a1'] }).certain.rollout;
  assert.deepEqual(reasons, [NO_NODE]);
});

test('a volume that only another workload keeps elsewhere is no matter of its own rollout', () => {
  const alone: Described = { spec: { strategy: { type: 'Recreate' } } };
  const other = { others: [{ name: 'backup' }] };
  const multiAttach = (around: Around) => foretold(alone, around).certain.rollout.multiAttach;
  assert.deepEqual(
    [multiAttach(other), multiAttach({ ...other, before: alone }), multiAttach({})],
    [false, false, true],
  );
});
