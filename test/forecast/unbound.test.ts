import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cause } from '../../src/forecast/reasons.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { APART, causes, type Described, foretold, HOST, POOL, REQUIRED, TOGETHER, unzoned, ZONE } from './scene.ts';

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

/** A Job that mounts the claim too. */
function backup(pod: JsonObject = {}): JsonObject {
  const volumes = [{ name: 'new', persistentVolumeClaim: { claimName: 'new' } }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: 'shop', name: 'backup' },
    spec: { template: { metadata: { labels: { app: 'backup' } }, spec: { ...pod, volumes } } },
  };
}

/** What stands in the way of the next rollout. */
function inTheWay(nodes: readonly string[], objects: readonly JsonObject[], pods: Described = {}): readonly Cause[] {
  return causes(foretold({ claims: ['new'], ...pods }, { nodes, objects }));
}

test('a disk to come in some zone moves within that zone alone', () => {
  const disk = unbound(ZONAL);
  assert.deepEqual(inTheWay(['ax', 'ay', 'az'], disk), []);
  assert.deepEqual(inTheWay(['ax', 'ay', 'by'], disk), ['volume-elsewhere']);
  assert.deepEqual(inTheWay(['ax', 'ay', 'by'], disk, { pod: { nodeSelector: { [POOL]: 'a' } } }), []);
});

test('a disk to come reaches nodes of which no zone is known', () => {
  const disk = unbound(ZONAL);
  assert.deepEqual(inTheWay([], [...disk, unzoned('one'), unzoned('other')]), ['volume-elsewhere']);
  assert.deepEqual(inTheWay(['ax', 'ay'], [...disk, unzoned('other')]), ['volume-elsewhere']);
});

test('a zone that is a number is the fault domain of a node in no zone', () => {
  const node = (zone: string) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `n${zone}`, labels: { [ZONE]: zone } },
  });
  const disk = unbound('disk.csi.azure.com');
  assert.deepEqual(inTheWay([], [...disk, node('0'), node('1')]), ['volume-elsewhere']);
  assert.deepEqual(inTheWay([], [...disk, node('10'), node('11')]), ['volume-elsewhere']);
  assert.deepEqual(inTheWay([], [...disk, node('0'), node('12')]), ['volume-elsewhere']);
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
  const { steady } = foretold(
    { claims: ['new'], replicas: 2, pod: APART },
    { nodes: ['ax', 'ay', 'az'], objects: unbound(ZONAL) },
  ).certain;
  assert.deepEqual(
    [steady.stuck, steady.multiAttach, steady.reasons.map(({ cause }) => cause)],
    [true, false, ['no-node-left']],
  );
});

test('a disk to come that only new pods mount is made where they may join the old one', () => {
  const update = (after: Described) => {
    const around = { nodes: ['ax', 'ay'], objects: unbound(ZONAL) };
    return causes(foretold(after, { ...around, before: { claims: [], pod: TOGETHER } }));
  };
  assert.deepEqual(update({ claims: ['new'], pod: TOGETHER }), []);
});

test('a pod that comes when the old one has gone finds its disk in the zone where it was made', () => {
  const moves = (...nodes: readonly string[]) => {
    const pods = { claims: ['new'], pod: TOGETHER, spec: { strategy: { type: 'Recreate' } } };
    return foretold(pods, { nodes, objects: unbound(ZONAL) }).certain.rollout.multiAttach;
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

test('nothing is certain of a disk to come while the nodes are not listed', () => {
  const { certain, possible } = foretold({ claims: ['new'] }, { unlisted: 'nodes', objects: unbound(ZONAL) });
  assert.deepEqual(
    [certain, ...possible].map(({ rollout }) => rollout.stuck),
    [false, true, true],
  );
});

test('pods that run have their disks, wherever those could have been made', () => {
  const pods = { claims: ['new'], pod: TOGETHER };
  const around = { nodes: ['ax', 'ay'], objects: unbound(ZONAL) };
  assert.deepEqual(causes(foretold(pods, { ...around, places: ['ax'] })), []);
});

test('a disk that will be made on one of very many nodes keeps its pods there', () => {
  const nodes = Array.from({ length: 70 }, (_, index) => `n${index}`);
  assert.deepEqual(inTheWay(nodes, unbound('topolvm.io'), { claims: ['new', 'data'] }), []);
});

test('a disk to come may be made in a zone whose only node is cordoned for now', () => {
  const metadata = { name: 'by', labels: { [HOST]: 'by', [ZONE]: 'y' } };
  const cordoned = { apiVersion: 'v1', kind: 'Node', metadata, spec: { unschedulable: true } };
  assert.deepEqual(inTheWay(['ax'], [...unbound(ZONAL), cordoned]), []);
});

test('old pods may be apart in the one zone of several where their disk may be made', () => {
  const pods = { claims: ['new'], replicas: 2 };
  const around = { nodes: ['ax', 'ay', 'by'], objects: unbound(ZONAL) };
  const { waits } = foretold({ ...pods, pod: TOGETHER }, { ...around, before: pods });
  assert.equal(waits[0]?.heldBy, 'old-pods-apart');
});

test('a pod that has to be in the zone of another user of the disk may part from it where that has several nodes', () => {
  const term = { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'backup' } } };
  const pod = { affinity: { podAffinity: { [REQUIRED]: [term] } } };
  const objects = [...unbound(ZONAL), backup()];
  const users = (...nodes: readonly string[]) =>
    foretold({ claims: ['new'], pod }, { nodes, objects }).certain.shared.length;
  assert.deepEqual([users('ax', 'ay'), users('ax', 'ay', 'by')], [0, 1]);
});

test('a disk to come stays in its zone, however many zones there are', () => {
  const zones = Array.from({ length: 65 }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `n${index}`, labels: { [ZONE]: `z${index}` } },
  }));
  assert.deepEqual(inTheWay([], [...unbound(ZONAL), ...zones]), []);
});

test('an update to other nodes of its zone moves the disk, and none of them may be in its zone', () => {
  const pool = (name: string): Described => ({ claims: ['new'], pod: { nodeSelector: { [POOL]: name } } });
  const around = { nodes: ['ax', 'ay', 'bx'], objects: unbound(ZONAL) };
  assert.deepEqual(causes(foretold(pool('b'), { ...around, before: pool('a') })), ['volume-elsewhere', 'out-of-reach']);
});

test('a claim gets no volume that the pods which run cannot use', () => {
  const objects = [
    ...unbound('kubernetes.io/no-provisioner', [on(ZONE, 'x'), on(ZONE, 'y')]),
    backup({ nodeSelector: { [POOL]: 'a' } }),
  ];
  const pods: Described = { claims: ['new'], pod: { nodeSelector: { [POOL]: 'b' } } };
  assert.deepEqual(foretold(pods, { nodes: ['ax', 'by1', 'by2'], objects }).certain.shared, []);
});
