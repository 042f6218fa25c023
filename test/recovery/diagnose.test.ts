import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { claimUse } from '../../src/recovery/assemble.ts';
import { diagnose } from '../../src/recovery/diagnose.ts';
import { byGravity, CASES, type Diagnosis } from '../../src/recovery/diagnosis.ts';
import {
  attachment,
  before,
  claim,
  inventoryOf,
  NOW,
  nfs,
  node,
  pod,
  rollout,
  useIn,
  volume,
  workload,
} from './scene.ts';

const disk = [claim(), volume()];
const web = workload('Deployment', 'web');
const db = workload('StatefulSet', 'db');
const down = node('node-a', {
  ready: 'Unknown',
  since: 600,
  volumesInUse: ['kubernetes.io/csi/disk.example.com^disk-data'],
});
const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
const mounting = node('node-a', { volumesInUse: ['kubernetes.io/csi/disk.example.com^disk-data'] });
const young = (seconds: number) => ({
  conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: before(seconds) }],
});
const WAITS = { on: 'node-b', starting: true } as const;
const LIMIT = '0/2 nodes are available: 2 node(s) exceed max volume count.';

const scenes: readonly { name: string; objects: readonly JsonObject[]; is: string; says?: RegExp; safe?: string }[] = [
  {
    name: 'a pod that runs',
    objects: [...disk, node('node-a'), attachment('node-a'), pod('a', { on: 'node-a' })],
    is: 'nothing-wrong',
  },
  { name: 'a claim that is not there', objects: [], is: 'no-claim' },
  {
    name: 'a rollout whose new pod waits on another node',
    objects: rollout(),
    is: 'rollout-deadlock',
    says: /web-new-1 waits on node-b/,
    safe: 'safe',
  },
  {
    name: 'a rollout whose new pod finds no node',
    objects: [
      ...rollout().filter(({ metadata }) => (metadata as { name: string }).name !== 'web-new-1'),
      pod('web-new-1', {
        of: rollout()[7] as JsonObject,
        starting: true,
        status: { conditions: [{ type: 'PodScheduled', status: 'False', message: 'in use by another pod' }] },
      }),
    ],
    is: 'rollout-deadlock',
    says: /is Pending: in use by another pod/,
  },
  {
    name: 'a pod that waits on a dead node to end',
    objects: [
      ...disk,
      down,
      node('node-b'),
      attachment('node-a'),
      pod('old', { on: 'node-a', of: web, overdue: 270 }),
      pod('new', { ...WAITS, of: web }),
    ],
    is: 'node-down',
    says: /no clock runs/,
    safe: 'unsafe',
  },
  {
    name: 'a pod on a dead node that nobody has told to end',
    objects: [...disk, down, attachment('node-a'), pod('db-0', { on: 'node-a', of: db })],
    is: 'node-down',
    says: /evicted 5 minutes after/,
  },
  {
    name: 'a dead node that was declared out of service',
    objects: [
      ...disk,
      node('node-a', { ready: 'Unknown', taints: [taint] }),
      attachment('node-a'),
      pod('db-0', { on: 'node-a', overdue: 60 }),
    ],
    is: 'node-down',
    safe: 'by itself',
  },
  {
    name: 'a dead node whose pod has gone',
    objects: [...disk, down, node('node-b'), attachment('node-a'), pod('new', WAITS)],
    is: 'node-down-pod-gone',
    says: /6 minutes after the pod went, unless that is switched off/,
    safe: 'unsafe',
  },
  {
    name: 'an attachment to a node that was deleted',
    objects: [...disk, node('node-b'), attachment('node-a'), pod('new', WAITS)],
    is: 'deleted-node',
    safe: 'unsafe',
  },
  {
    name: 'two owners on one claim',
    objects: [
      ...disk,
      node('node-a'),
      node('node-b'),
      attachment('node-a'),
      db,
      web,
      pod('db-0', { on: 'node-a', of: db }),
      pod('new', { ...WAITS, of: web }),
    ],
    is: 'two-owners',
    says: /belong to Deployment shop\/web and to StatefulSet shop\/db/,
  },
  {
    name: 'two replicas on one claim',
    objects: [
      ...disk,
      node('node-a'),
      node('node-b'),
      attachment('node-a'),
      db,
      pod('db-0', { on: 'node-a', of: db }),
      pod('db-1', { ...WAITS, of: db }),
    ],
    is: 'replicas-split',
  },
  {
    name: 'a pod that ends within its grace',
    objects: [
      ...disk,
      node('node-a'),
      node('node-b'),
      attachment('node-a'),
      pod('old', { on: 'node-a', overdue: -10 }),
      pod('new', WAITS),
    ],
    is: 'slow-termination',
    says: /within its grace/,
    safe: 'by itself',
  },
  {
    name: 'a pod that is past its grace and still runs',
    objects: [...disk, node('node-a'), attachment('node-a'), pod('old', { on: 'node-a', overdue: 300 })],
    is: 'slow-termination',
    says: /past its grace/,
  },
  {
    name: 'a pod that has ended and is not gone',
    objects: [...disk, node('node-a'), attachment('node-a'), pod('old', { on: 'node-a', overdue: 300, stopped: true })],
    is: 'unmount-hangs',
    safe: 'unsafe',
  },
  {
    name: 'a volume that stays mounted on a healthy node',
    objects: [
      ...disk,
      node('node-a', { volumesInUse: ['kubernetes.io/csi/disk.example.com^disk-data'] }),
      node('node-b'),
      attachment('node-a'),
      pod('new', WAITS),
    ],
    is: 'unmount-hangs',
    says: /kubelet says that it has the volume mounted/,
  },
  {
    name: 'a volume that is being unmounted on a healthy node',
    objects: [...disk, mounting, node('node-b'), attachment('node-a'), pod('new', { ...WAITS, status: young(10) })],
    is: 'slow-termination',
    safe: 'by itself',
  },
  {
    name: 'a volume that cannot be detached',
    objects: [
      ...disk,
      node('node-a'),
      attachment('node-a', {
        deletionTimestamp: before(60),
        status: { attached: true, detachError: { message: 'busy' } },
      }),
    ],
    is: 'unmount-hangs',
    says: /detaching failed: busy/,
  },
  {
    name: 'a server that does not answer',
    objects: [
      claim(),
      nfs(),
      node('node-a'),
      node('node-b'),
      pod('a', { on: 'node-a', overdue: 300 }),
      pod('b', { ...WAITS }),
    ],
    is: 'shared-volume-stuck',
    says: /the server or the export does not answer/,
    safe: 'safe',
  },
  {
    name: 'a mount that hangs on one of several nodes',
    objects: [
      claim(),
      nfs(),
      node('node-a'),
      node('node-b'),
      pod('a', { on: 'node-a', overdue: 300 }),
      pod('b', { on: 'node-b' }),
    ],
    is: 'shared-volume-stuck',
    says: /the mount on node-a hangs, for others go on/,
  },
  {
    name: 'a disk of the node itself, with no server behind it',
    objects: [
      claim(),
      volume('data', { csi: undefined, local: { path: '/disk' } }),
      node('node-a'),
      pod('a', { on: 'node-a', overdue: 300 }),
    ],
    is: 'slow-termination',
  },
  {
    name: 'a pod on a dead node that never came to run',
    objects: [...disk, down, attachment('node-a'), pod('a', { on: 'node-a', overdue: 300, starting: true })],
    is: 'node-down',
    says: /no container of it was seen running, so the volume is detached by force after 6 minutes/,
  },
  {
    name: 'a shared volume on a dead node',
    objects: [claim(), nfs(), down, pod('a', { on: 'node-a', overdue: 300 })],
    is: 'node-down',
  },
  {
    name: 'a claim that goes with its data',
    objects: [
      claim('data', { deletionTimestamp: before(60), finalizers: ['kubernetes.io/pvc-protection'] }),
      volume(),
      pod('a', { on: 'node-a' }),
    ],
    is: 'claim-deleting',
    says: /the data goes with the claim/,
    safe: 'unsafe',
  },
  {
    name: 'nodes at their limit',
    objects: [
      ...disk,
      node('node-b'),
      csiNode('node-b', 1),
      attachment('node-b', { name: 'other' }),
      pod('new', {
        starting: true,
        status: { conditions: [{ type: 'PodScheduled', status: 'False', message: LIMIT }] },
      }),
    ],
    is: 'volume-limit',
    says: /at their limit are node-b/,
  },
  {
    name: 'a driver that does not attach it',
    objects: [
      ...disk,
      node('node-b'),
      attachment('node-b', { status: { attached: false, attachError: { message: 'mode not supported' } } }),
      pod('new', WAITS),
    ],
    is: 'mode-refused',
    says: /mode not supported/,
  },
  {
    name: 'a provisioner that is known to refuse the mode',
    objects: [
      claim('data', { spec: { accessModes: ['ReadWriteMany'], volumeName: '' }, status: { phase: 'Pending' } }),
      storageClass('ebs.csi.aws.com'),
    ],
    is: 'mode-refused',
  },
  {
    name: 'a pod that waits for something else',
    objects: [...disk, node('node-b'), attachment('node-b'), pod('new', WAITS)],
    is: 'not-told',
    safe: 'unsafe',
  },
];

for (const { name, objects, is, says, safe } of scenes) {
  test(`${name}: ${is}`, () => {
    const diagnosis = diagnose(useIn(objects));
    assert.equal(diagnosis.case, is, JSON.stringify(diagnosis, null, 2));
    if (says !== undefined) assert.match([...diagnosis.certain, ...diagnosis.likely].join('\n'), says);
    if (safe !== undefined) assert.equal(diagnosis.safety.is, safe);
  });
}

test('every case has a scene', () => {
  assert.deepEqual(new Set(scenes.map(({ is }) => is)), new Set(Object.keys(CASES)));
});

test('what is known of no node is not said to be safe', () => {
  const inventory = inventoryOf(rollout().filter(({ kind }) => kind !== 'Node'));
  inventory.refuse('nodes', '', 'permission missing');
  const { case: id, safety, unseen } = diagnose(claimUse(inventory, { namespace: 'shop', name: 'data' }, NOW));
  assert.deepEqual(
    [id, safety.is, unseen],
    ['rollout-deadlock', 'unsafe', ['nodes could not be read: permission missing']],
  );
});

test('the worst comes first, and claims of one case by name', () => {
  const of = (id: Diagnosis['case'], name: string): Diagnosis => ({
    ...diagnose(useIn([])),
    case: id,
    claim: { namespace: 'shop', name },
  });
  const mixed = [of('slow-termination', 'a'), of('node-down', 'z'), of('claim-deleting', 'm'), of('node-down', 'b')];
  assert.deepEqual(
    mixed.toSorted(byGravity).map(({ claim: { name } }) => name),
    ['m', 'b', 'z', 'a'],
  );
});

function csiNode(name: string, count: number): JsonObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: 'disk.example.com', allocatable: { count } }] },
  };
}

function storageClass(provisioner: string): JsonObject {
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'disks' }, provisioner };
}
