import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { APART, disk } from '../forecast/scene.ts';
import { type Asked, attachment, JUST_NOW, LONG_AGO, pod, scanned, standing, WEB, workload } from './scene.ts';

const OLD = pod('web-old', { of: 'ReplicaSet/web-1' });
const NEW = pod('web-new', { of: 'ReplicaSet/web-2', node: 'b1', startingSince: JUST_NOW });
const SECOND = workload({ kind: 'ReplicaSet', name: 'web-2', of: 'Deployment/web' });
const WAITS = `pod web-new waits on b1 since ${JUST_NOW} for data`;

interface Case {
  readonly name: string;
  readonly objects: readonly JsonObject[];
  readonly asked?: Asked;
  readonly says: string | undefined;
}

const armed = 'armed: 2 pods are on a1, b1';

const ofRollout: readonly Case[] = [
  { name: 'nothing where no pod runs', objects: [...WEB], says: 'armed: none of its pods runs' },
  { name: 'armed while one pod runs', objects: [...WEB, OLD], says: 'armed: pod web-old is on a1' },
  {
    name: 'struck where the new pod waits for what the old one has on another node',
    objects: [...WEB, SECOND, OLD, NEW],
    says: `struck: ${WAITS}, which pod web-old has on a1`,
  },
  {
    name: 'armed where the new pod starts on the node of the old one, as while it pulls its image',
    objects: [...WEB, SECOND, OLD, pod('web-new', { of: 'ReplicaSet/web-2', startingSince: LONG_AGO })],
    says: 'armed: all 2 pods are on a1',
  },
  {
    name: 'armed where the volume has been attached to the node of the new pod',
    objects: [...WEB, SECOND, OLD, NEW, attachment('b1')],
    says: armed,
  },
  {
    name: 'armed while nobody has the volume yet',
    objects: [...WEB, SECOND, pod('web-old', { of: 'ReplicaSet/web-1', startingSince: JUST_NOW }), NEW],
    says: armed,
  },
  {
    name: 'struck where of two pods that are starting the other one has the volume',
    objects: [
      ...[...WEB, SECOND, NEW, attachment('a1')],
      pod('web-old', { of: 'ReplicaSet/web-1', startingSince: JUST_NOW }),
    ],
    says: `struck: ${WAITS}, which pod web-old has on a1`,
  },
  {
    name: 'struck where a pod of nobody has the volume',
    objects: [...WEB, SECOND, NEW, pod('by-hand', { node: 'a2' })],
    says: `struck: ${WAITS}, which pod by-hand has on a2`,
  },
  {
    name: 'armed while the old pod is ending',
    objects: [...WEB, SECOND, NEW, pod('web-old', { of: 'ReplicaSet/web-1', deleting: true })],
    says: armed,
  },
  {
    name: 'struck where the old pod has been ending for long, as on a node that has failed',
    objects: [
      ...[...WEB, SECOND, pod('web-old', { of: 'ReplicaSet/web-1', deleting: true })],
      pod('web-new', { of: 'ReplicaSet/web-2', node: 'b1', startingSince: LONG_AGO }),
    ],
    says: `struck: pod web-new waits on b1 since ${LONG_AGO} for data, which pod web-old, being deleted, still has on a1`,
  },
  {
    name: 'armed while the volume that no pod has any more is on its way',
    objects: [...WEB, SECOND, NEW, attachment('a1')],
    says: 'armed: pod web-new is on b1',
  },
  ...[
    { deleting: false, says: 'which is attached on node a1 though no pod there has it' },
    { deleting: true, says: 'which is being detached from a1' },
  ].map(({ deleting, says }) => ({
    name: `struck where it is on its way for long, and ${deleting ? 'detaching' : 'nobody detaches it'}`,
    objects: [
      ...[...WEB, SECOND, attachment('a1', { deleting })],
      pod('web-new', { of: 'ReplicaSet/web-2', node: 'b1', startingSince: LONG_AGO }),
    ],
    says: `struck: pod web-new waits on b1 since ${LONG_AGO} for data, ${says}`,
  })),
  {
    name: 'told of the last pod of a ReplicaSet that is scaled to nothing',
    objects: [
      ...[workload(), workload({ kind: 'ReplicaSet', name: 'web-1', of: 'Deployment/web', replicas: 0 })],
      pod('web-old', { of: 'ReplicaSet/web-1', deleting: true }),
    ],
    says: 'armed: pod web-old is on a1',
  },
  {
    name: 'not told where ReplicaSets cannot be listed, for nobody knows whose pods are whose',
    objects: [workload(), OLD],
    asked: { unlisted: ['replicasets'] },
    says: undefined,
  },
  {
    name: 'not told where pods cannot be listed',
    objects: [...WEB, OLD],
    asked: { unlisted: ['pods'] },
    says: undefined,
  },
  {
    name: 'lucky where only the node of the pod takes another one just now',
    objects: [
      ...[...WEB, OLD],
      ...['a2', 'b1'].map((name) => ({
        ...{ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name } } },
        spec: { unschedulable: true },
      })),
    ],
    says: 'lucky: as pod web-old is on a1, the next rollout ends',
  },
];

for (const { name, objects, asked, says } of ofRollout) {
  test(`a rollout that can hang is ${name}`, () => {
    assert.equal(standing('rollout-deadlock', objects, asked), says);
  });
}

const MEDIA = [
  workload({ replicas: 2, spec: { strategy: { type: 'Recreate' } } }),
  workload({ kind: 'ReplicaSet', name: 'web-1', of: 'Deployment/web', replicas: 2 }),
];
const ofSteady: readonly Case[] = [
  {
    name: 'lucky while all are on one node',
    objects: [...MEDIA, OLD, pod('web-b', { of: 'ReplicaSet/web-1' })],
    says: 'lucky: all 2 pods are on a1, and nothing keeps them there',
  },
  {
    name: 'struck where one waits on another node',
    objects: [...MEDIA, OLD, pod('web-b', { of: 'ReplicaSet/web-1', node: 'b1', startingSince: LONG_AGO })],
    says: `struck: pod web-b waits on b1 since ${LONG_AGO} for data, which pod web-old has on a1`,
  },
  {
    name: 'armed while there is but one',
    objects: [...MEDIA, OLD],
    says: 'armed: pod web-old is on a1',
  },
  {
    name: 'not lucky with a second one that has no node',
    objects: [...MEDIA, OLD, pod('web-b', { of: 'ReplicaSet/web-1', unschedulable: 'Insufficient cpu' })],
    says: 'armed: pod web-old is on a1',
  },
];

for (const { name, objects, says } of ofSteady) {
  test(`replicas that can be split are ${name}`, () => {
    assert.equal(standing('replicas-split', objects), says);
  });
}

const ONE_POD = disk('only', 'ReadWriteOncePod');

test('a pod is told to wait for a claim that takes one pod once the scheduler has found no node for it', () => {
  const of = { of: 'ReplicaSet/web-1', claims: ['only'] };
  const web = [
    workload({ claims: ['only'] }),
    workload({ kind: 'ReplicaSet', name: 'web-1', of: 'Deployment/web', claims: ['only'] }),
  ];
  const old = pod('web-old', of);
  const blocked = (...pods: readonly JsonObject[]) => standing('rollout-blocked', [...ONE_POD, ...web, old, ...pods]);
  assert.equal(blocked(pod('web-new', { ...of, node: undefined })), 'armed: pod web-old is on a1');
  assert.equal(
    blocked(pod('web-new', { ...of, unschedulable: 'node has pod using PersistentVolumeClaim' })),
    `struck: pod web-new is Pending since ${LONG_AGO}: only lets one pod in, which pod web-old has on a1`,
  );
});

test('where pods may not share a node the scheduler is quoted, and not believed of anything else', () => {
  const web = [
    workload({ pod: { ...APART, nodeSelector: { 'kubernetes.io/hostname': 'a1' } } }),
    workload({ kind: 'ReplicaSet', name: 'web-1', of: 'Deployment/web' }),
  ];
  const blocked = (unschedulable: string) =>
    standing('rollout-blocked', [...web, OLD, pod('web-new', { of: 'ReplicaSet/web-1', unschedulable })]);
  const said = "0/3 nodes are available: 1 node(s) didn't match pod anti-affinity rules";
  assert.equal(blocked(said), `struck: pod web-new is Pending since ${LONG_AGO}: ${said}`);
  assert.equal(blocked('0/3 nodes are available: 3 Insufficient memory'), 'armed: pod web-old is on a1');
});

test('a pod is Pending while its claim is being deleted', () => {
  const [volume = {}, claim = {}] = disk('data');
  const deleted = { ...claim, metadata: { namespace: 'shop', name: 'data', deletionTimestamp: LONG_AGO } };
  const pending = pod('web-new', {
    of: 'ReplicaSet/web-1',
    unschedulable: 'persistentvolumeclaim "data" is being deleted',
  });
  const { findings } = scanned([volume, deleted, ...WEB, OLD, pending]);
  assert.deepEqual(
    findings.map(({ now }) => now),
    findings.map(() => ({
      state: 'struck',
      because: `pod web-new is Pending since ${LONG_AGO}: data is being deleted`,
    })),
  );
  assert.ok(findings.length > 0);
});

test('runs of a CronJob are its own', () => {
  const objects = [
    workload({ kind: 'CronJob', name: 'nightly' }),
    workload({ kind: 'Job', name: 'nightly-1', of: 'CronJob/nightly' }),
    pod('nightly-1-a', { of: 'Job/nightly-1' }),
  ];
  assert.equal(standing('claim-shared', objects), 'armed: pod nightly-1-a is on a1');
});

test('pods of a claim that others use too are lucky on one node, whoever made them', () => {
  const job = workload({ kind: 'Job', name: 'backup' });
  const objects = [...MEDIA, job, OLD, pod('backup-1', { of: 'Job/backup' })];
  const shared = scanned(objects).findings.filter(({ rule }) => rule.id === 'claim-shared');
  assert.deepEqual(
    shared.map(({ now }) => now?.because),
    shared.map(() => 'all 2 pods are on a1, and nothing keeps them there'),
  );
  assert.ok(shared.length > 0);
});

test('two volumes of one disk are one, and so is the disk that is written into a pod', () => {
  const spec = { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'data' } };
  const again = [
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'again' }, spec },
    {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'shop', name: 'again' } },
      spec: { accessModes: ['ReadWriteOnce'], volumeName: 'again' },
    },
  ];
  const other = pod('other', { claims: ['again'], node: 'a2' });
  assert.equal(
    standing('rollout-deadlock', [...WEB, SECOND, NEW, ...again, other]),
    `struck: ${WAITS}, which pod other has on a2`,
  );
});
