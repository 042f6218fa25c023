import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import type { Claim } from '../../src/facts/claim.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { type Fact, known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

const WORKLOAD = {
  metadata: { namespace: 'shop' },
  spec: { template: { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] } } },
};

const ASKED = { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '10Gi' } } };
const OFFERED = { accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } };
const SHARE = { ...OFFERED, nfs: {} };
const DISK = { ...OFFERED, iscsi: {} };
const KEPT = { claimRef: { namespace: 'shop', name: 'data' } };

const volume = (
  name: string,
  spec: JsonObject,
  { labels = {}, phase = 'Available', ...metadata }: JsonObject = {},
) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels, ...metadata },
  spec,
  status: { phase },
});

const storageClass = (provisioner: string) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'disks' },
  provisioner,
});

/** What the claim is going to be with these objects around it. */
function claimAmong(objects: readonly JsonObject[], asked: JsonObject = {}, state = new ClusterState()): Claim {
  const claim = { metadata: { namespace: 'shop', name: 'data' }, spec: { ...ASKED, ...asked } };
  for (const object of [{ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, ...objects]) {
    putObject(state, object);
  }
  const [first] = gatherFacts(workloadFrom('Deployment', WORKLOAD), state, storageMatrix(), new Budget()).facts.claims;
  assert.ok(first);
  return first;
}

function because(fact: Fact<unknown>): string {
  return fact.known ? 'known' : fact.because;
}

const NO_CLASS = 'claim shop/data asks for no storage class';

test('a claim without a class is what the volume is that it can get', () => {
  assert.deepEqual(claimAmong([volume('v', SHARE)]).attachable, known(false));
  assert.deepEqual(claimAmong([volume('v', DISK)]).attachable, known(true));
  assert.equal(because(claimAmong([]).attachable), NO_CLASS);
});

const unfit: Readonly<Record<string, readonly [JsonObject, JsonObject?, JsonObject?]>> = {
  'is smaller': [{ ...SHARE, capacity: { storage: '9.9Gi' } }],
  'lacks a mode': [SHARE, {}, { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }],
  'is a block device': [{ ...SHARE, volumeMode: 'Block' }],
  'is a file system for a block device': [SHARE, {}, { volumeMode: 'Block' }],
  'is of a class': [{ ...SHARE, storageClassName: 'disks' }],
  'is of a class by annotation': [SHARE, { annotations: { 'volume.beta.kubernetes.io/storage-class': 'disks' } }],
  'is not selected': [SHARE, { labels: { app: 'b' } }, { selector: { matchLabels: { app: 'a' } } }],
  'is kept for another claim': [{ ...SHARE, claimRef: { namespace: 'shop', name: 'other' } }],
  'is kept for a claim of another namespace': [{ ...SHARE, claimRef: { namespace: 'stage', name: 'data' } }],
  'is released': [{ ...SHARE, ...KEPT }, { phase: 'Released' }],
  'is bound': [SHARE, { phase: 'Bound' }],
  'has failed': [SHARE, { phase: 'Failed' }],
  'is being deleted': [SHARE, { deletionTimestamp: '2026-08-01T00:00:00Z' }],
};

for (const [name, [spec, metadata, asked]] of Object.entries(unfit)) {
  test(`a claim does not get a volume that ${name}`, () => {
    assert.equal(because(claimAmong([volume('v', spec, metadata)], asked).attachable), NO_CLASS);
  });
}

const fitting: Readonly<Record<string, readonly [JsonObject, JsonObject?, JsonObject?]>> = {
  'is larger': [{ ...SHARE, capacity: { storage: '1Ti' } }],
  'has a size that cannot be read': [{ ...SHARE, capacity: { storage: 'large' } }],
  'tells no size': [{ accessModes: ['ReadWriteOnce'], nfs: {} }],
  'has more modes': [{ ...SHARE, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] }],
  'is a block device as asked for': [{ ...SHARE, volumeMode: 'Block' }, {}, { volumeMode: 'Block' }],
  'is selected': [SHARE, { labels: { app: 'a' } }, { selector: { matchLabels: { app: 'a' } } }],
  'was just made': [SHARE, { phase: 'Pending' }],
};

for (const [name, [spec, metadata, asked]] of Object.entries(fitting)) {
  test(`a claim may get a volume that ${name}`, () => {
    assert.deepEqual(claimAmong([volume('v', spec, metadata)], asked).attachable, known(false));
  });
}

test('volumes of a class that nobody provisions are taken, and those of a class that somebody does are not', () => {
  const named = { storageClassName: 'disks' };
  const share = volume('v', { ...SHARE, ...named });
  assert.deepEqual(claimAmong([share], named).attachable, known(false));
  assert.deepEqual(claimAmong([share, storageClass('kubernetes.io/no-provisioner')], named).attachable, known(false));
  assert.deepEqual(claimAmong([share, storageClass('ebs.csi.aws.com')], named).attachable, known(true));
});

test('a volume that is kept for the claim comes before its class and before free volumes', () => {
  const named = { storageClassName: 'disks' };
  const kept = volume('kept', { ...SHARE, ...KEPT });
  const objects = [kept, volume('free', { ...DISK, ...named }), storageClass('ebs.csi.aws.com')];
  assert.deepEqual(claimAmong(objects, named).attachable, known(false));
  const selector = { matchLabels: { app: 'a' } };
  assert.deepEqual(claimAmong(objects, { ...named, selector }).attachable, known(false));
});

test('a claim that is bound gets no volume any more, even where nothing tells which one it has', () => {
  const metadata = { namespace: 'shop', name: 'data' };
  const status = { phase: 'Bound' };
  const bound = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: ASKED, status };
  assert.equal(because(claimAmong([bound, volume('free', SHARE)]).attachable), NO_CLASS);
  assert.equal(because(claimAmong([bound, volume('kept', { ...SHARE, ...KEPT })]).attachable), NO_CLASS);
});

test('a volume that is kept for the claim and too small for it leaves it to its class', () => {
  const kept = volume('kept', { ...SHARE, ...KEPT, capacity: { storage: '1Gi' } });
  const { attachable } = claimAmong([kept, storageClass('ebs.csi.aws.com')], { storageClassName: 'disks' });
  assert.deepEqual(attachable, known(true));
});

test('the disk that is kept for a claim is the one of whoever has it already', () => {
  const disk = { csi: { driver: 'd', volumeHandle: 'h' }, ...OFFERED };
  const other = volume('other', { ...disk, claimRef: { namespace: 'shop', name: 'logs' } }, { phase: 'Bound' });
  const { identity, claimsOfDisk } = claimAmong([volume('kept', { ...disk, ...KEPT }), other]);
  assert.equal(identity, 'disk d^h');
  assert.deepEqual(
    claimsOfDisk.map(({ name }) => name),
    ['data', 'logs'],
  );
});

test('a disk that is free for any claim is nobody’s yet', () => {
  const { identity, claimsOfDisk } = claimAmong([volume('v', { csi: { driver: 'd', volumeHandle: 'h' }, ...OFFERED })]);
  assert.equal(identity, 'claim shop/data');
  assert.deepEqual(
    claimsOfDisk.map(({ name }) => name),
    ['data'],
  );
});

test('of several volumes that is known on which they agree', () => {
  const agreeing = claimAmong([volume('a', SHARE), volume('b', { ...OFFERED, hostPath: {} })]);
  assert.deepEqual(agreeing.attachable, known(false));
  assert.deepEqual(agreeing.accessModes, known(['ReadWriteOnce']));
  const differing = claimAmong([volume('a', SHARE), volume('b', DISK)]);
  assert.equal(because(differing.attachable), 'the volumes that claim shop/data may get differ');
  assert.deepEqual(differing.accessModes, known(['ReadWriteOnce']));
  assert.deepEqual(differing.onePod, known(false));
});

test('several volumes that are kept for one claim have to agree, too', () => {
  const { attachable } = claimAmong([volume('a', { ...SHARE, ...KEPT }), volume('b', { ...DISK, ...KEPT })]);
  assert.equal(attachable.known, false);
});

test('modes in another order are the same, and of volumes with further ones none is taken', () => {
  const modesOf = (...modes: readonly (readonly string[])[]) =>
    claimAmong(modes.map((accessModes, index) => volume(`v${index}`, { ...SHARE, accessModes }))).accessModes;
  const both = ['ReadWriteMany', 'ReadWriteOnce'];
  assert.deepEqual(modesOf(both, both.toReversed()), known(both));
  assert.deepEqual(modesOf(both, ['ReadWriteOnce']), known(['ReadWriteOnce']));
});

const IS_HERE = { key: 'kubernetes.io/hostname', operator: 'In', values: ['a'] };
const LARGE = { capacity: { storage: '20Gi' } };
const HERE = { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [IS_HERE] }] } } };
const WAITS = { ...storageClass('kubernetes.io/no-provisioner'), volumeBindingMode: 'WaitForFirstConsumer' };

test('of volumes that fit the smallest is taken', () => {
  assert.deepEqual(claimAmong([volume('a', { ...SHARE, ...LARGE }), volume('b', DISK)]).attachable, known(true));
  assert.deepEqual(claimAmong([volume('a', { ...DISK, ...LARGE }), volume('b', SHARE)]).attachable, known(false));
});

test('a volume whose size nobody can read is as small as any', () => {
  const odd = volume('a', { ...DISK, capacity: { storage: 'many' } });
  assert.equal(claimAmong([odd, volume('b', SHARE)]).attachable.known, false);
});

test('a claim that waits for its pod gets the smallest that its node can use', () => {
  const asked = { storageClassName: 'disks' };
  const of = (name: string, spec: JsonObject) => volume(name, { ...spec, storageClassName: 'disks' });
  const [small, large] = [of('a', SHARE), of('b', { ...DISK, ...LARGE })];
  assert.deepEqual(claimAmong([WAITS, small, large], asked).attachable, known(false));
  const there = of('a', { ...SHARE, ...HERE });
  assert.equal(claimAmong([WAITS, there, large], asked).attachable.known, false);
  assert.deepEqual(claimAmong([WAITS, there, of('b', { ...DISK, ...LARGE, ...HERE })], asked).attachable, known(false));
});

test('where a volume can be used counts if it is the only one', () => {
  const placed = (name: string, zone: string) =>
    volume(name, SHARE, { labels: { 'topology.kubernetes.io/zone': zone } });
  assert.deepEqual([...claimAmong([placed('a', 'z1')]).zones.values()], [['z1']]);
  assert.deepEqual([...claimAmong([placed('a', 'z1'), placed('b', 'z2')]).zones.values()], []);
});

test('of very many free volumes nothing is known but that they are many', () => {
  const shares = Array.from({ length: 65 }, (_, index) => volume(`v${index}`, SHARE));
  assert.deepEqual(claimAmong(shares.slice(0, 64)).attachable, known(false));
  assert.equal(because(claimAmong(shares).attachable), 'more than 64 volumes of no class are free');
});

test('while volumes are not listed, a class that is provisioned still tells what there is to know', () => {
  const unlisted = () =>
    new ClusterState((list) => (list === 'persistentvolumes' ? unknown('not listed yet') : known(true)));
  const named = { storageClassName: 'disks' };
  assert.deepEqual(claimAmong([storageClass('ebs.csi.aws.com')], named, unlisted()).attachable, known(true));
  assert.equal(because(claimAmong([], {}, unlisted()).attachable), 'not listed yet');
});
