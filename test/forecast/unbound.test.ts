import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/facts/json.ts';
import type { Cause } from '../../src/forecast/meeting.ts';
import { APART, causes, forecastOf, type Pods, TOGETHER, ZONE } from './scene.ts';

const ZONAL = 'ebs.csi.aws.com';

/** A claim called `new` that nothing is bound to, its class, and volumes of that class that are free. */
function unbound(provisioner: string, volumes: readonly JsonObject[] = [], ofClass: JsonObject = {}) {
  const metadata = { name: 'wait' };
  const storage = (size: string) => ({ storage: size });
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'wait', resources: { requests: storage('1Gi') } };
  return [
    { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner, ...ofClass },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'shop', name: 'new' }, spec },
    ...volumes.map((volume, index) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `free-${index}` },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'wait',
        capacity: storage('1Gi'),
        csi: { driver: 'd', volumeHandle: `free-${index}` },
        ...volume,
      },
    })),
  ];
}

function on(key: string, ...values: readonly string[]): JsonObject {
  const matchExpressions = [{ key, operator: 'In', values }];
  return { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } };
}

/** What stands in the way of the next rollout. Of a name of two letters the second is the node's zone. */
function inTheWay(nodes: readonly string[], objects: readonly JsonObject[], pods: Pods = {}): readonly Cause[] {
  return causes(forecastOf({ claims: ['new'], ...pods }, { nodes, objects }));
}

test('a disk to come in some zone moves within that zone alone', () => {
  const disk = unbound(ZONAL);
  assert.deepEqual(inTheWay(['ax', 'ay', 'az'], disk), []);
  assert.deepEqual(inTheWay(['ax', 'ay', 'by'], disk), ['volume-elsewhere']);
  assert.deepEqual(inTheWay(['ax', 'ay', 'by'], disk, { pod: { nodeSelector: { pool: 'a' } } }), []);
});

test('a disk to come reaches nodes of which no zone is known', () => {
  const disk = unbound(ZONAL);
  assert.deepEqual(inTheWay(['a1', 'b1'], disk), ['volume-elsewhere']);
  assert.deepEqual(inTheWay(['ax', 'ay', 'a1'], disk), ['volume-elsewhere']);
});

test('a zone that is a number is the fault domain of a node in no zone', () => {
  const node = (zone: string) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `n${zone}`, labels: { [ZONE]: zone } },
  });
  const disk = unbound('disk.csi.azure.com');
  assert.deepEqual(inTheWay([], [...disk, node('0'), node('1')]), ['volume-elsewhere']);
  assert.deepEqual(inTheWay([], [...disk, node('eastus-1'), node('eastus-2')]), []);
});

test('a disk of a driver that nobody knows goes anywhere, but for where its class makes it', () => {
  const allowed = (...values: readonly string[]) => ({
    allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values }] }],
  });
  const driver = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'd' } };
  const disk = (ofClass?: JsonObject) => [driver, ...unbound('d', [], ofClass)];
  assert.deepEqual(inTheWay(['ax', 'ay'], disk()), ['volume-elsewhere']);
  assert.deepEqual(inTheWay(['ax', 'ay'], disk(allowed('x', 'y'))), ['volume-elsewhere']);
  assert.deepEqual(inTheWay(['ax', 'ay'], disk(allowed('x'))), []);
});

test('where a class allows some zones a disk is in one of them', () => {
  const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE, values: ['x', 'y'] }] }];
  const disk = unbound(ZONAL, [], { allowedTopologies });
  assert.deepEqual(inTheWay(['ax', 'ay', 'az', 'bz'], disk), []);
  assert.deepEqual(inTheWay(['ax', 'ay', 'by', 'az'], disk), ['volume-elsewhere']);
});

test('pods that keep apart find no node beside a disk in a zone of one', () => {
  const { steady } = forecastOf(
    { claims: ['new'], replicas: 2, pod: APART },
    { nodes: ['ax', 'ay', 'az'], objects: unbound(ZONAL) },
  ).certain;
  assert.deepEqual(
    [steady.stuck, steady.multiAttach, steady.reasons.map(({ cause }) => cause)],
    [true, false, ['no-node-left']],
  );
});

test('a disk to come that only new pods mount is made where they may join the old one', () => {
  const update = (after: Pods) => {
    const surroundings = { nodes: ['ax', 'ay'], objects: unbound(ZONAL) };
    return causes(forecastOf(after, surroundings, { claims: [], pod: TOGETHER }));
  };
  assert.deepEqual(update({ claims: ['new'], pod: TOGETHER }), []);
});

test('a pod that comes when the old one has gone finds its disk in the zone where it was made', () => {
  const moves = (...nodes: readonly string[]) => {
    const pods = { claims: ['new'], spec: { strategy: { type: 'Recreate' } } };
    return forecastOf(pods, { nodes, objects: unbound(ZONAL) }).certain.rollout.multiAttach;
  };
  assert.equal(moves('ax', 'ay'), false);
  assert.equal(moves('ax', 'ay', 'by'), true);
});

test('of several free volumes a claim gets one, and its pods stay where that can be used', () => {
  const free = (...volumes: readonly JsonObject[]) => unbound('kubernetes.io/no-provisioner', volumes);
  const [x, y, both] = [on(ZONE, 'x'), on(ZONE, 'y'), on(ZONE, 'x', 'y')];
  assert.deepEqual(inTheWay(['ax', 'ay'], free(x, y)), []);
  assert.deepEqual(inTheWay(['ax', 'ay', 'by'], free(x, y)), ['volume-elsewhere']);
  assert.deepEqual(inTheWay(['ax', 'ay'], free(x, both)), ['volume-elsewhere']);
  assert.deepEqual(inTheWay(['ax', 'ay'], free(x, {})), ['volume-elsewhere']);
  assert.deepEqual(inTheWay(['ax', 'ay', 'bz', 'cz'], free(x, y, on(ZONE, 'gone'))), []);
});

test('two claims to come are in one zone together', () => {
  const more = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'newer' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'wait' },
  };
  const disks = [...unbound(ZONAL), more];
  const claims = ['new', 'newer'];
  assert.deepEqual(inTheWay(['ax', 'ay'], disks, { claims }), []);
  assert.deepEqual(inTheWay(['ax', 'ay', 'by'], disks, { claims }), ['volume-elsewhere']);
});
