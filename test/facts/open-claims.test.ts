import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { accessModeFacts } from '../../src/facts/access-mode-facts.ts';
import { type Claim, mayBeExclusive } from '../../src/facts/claim.ts';
import { gathering } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { claimFrom } from '../../src/objects/persistent-volume-claim.ts';
import type { ObjectRef } from '../../src/snapshot/snapshot.ts';
import {
  BOUND,
  because,
  type Cluster,
  METADATA,
  OF_CLASS,
  ONCE,
  read,
  readVolume,
  stateOf,
  storageClass,
  volume,
} from './read-claim.ts';

const open: readonly (readonly [string, JsonObject, Cluster, string, readonly ObjectRef[]])[] = [
  [
    'its volume is not there',
    BOUND,
    {},
    'volume v does not exist yet',
    [{ kind: 'PersistentVolume', namespace: '', name: 'v' }],
  ],
  [
    'volumes are not listed',
    BOUND,
    { unlisted: 'persistentvolumes' },
    'persistentvolumes are not listed',
    [{ kind: 'PersistentVolume', namespace: '', name: 'v' }],
  ],
  [
    'its volume is kept for a claim of another name',
    BOUND,
    { objects: [volume({ claimRef: { namespace: 'shop', name: 'other' } })] },
    'volume v is kept for claim shop/other',
    [],
  ],
  [
    'its volume is kept for a claim of another namespace',
    BOUND,
    { objects: [volume({ claimRef: { namespace: 'blog', name: 'data' } })] },
    'volume v is kept for claim blog/data',
    [],
  ],
  [
    'drivers are not listed',
    BOUND,
    { objects: [volume({ csi: { driver: 'd' } })], unlisted: 'csidrivers' },
    'csidrivers are not listed',
    [{ kind: 'CSIDriver', namespace: '', name: 'd' }],
  ],
  [
    'a FlexVolume driver alone would know',
    BOUND,
    { objects: [volume({ flexVolume: { driver: 'example.com/flex' } })] },
    'only the FlexVolume driver example.com/flex knows whether its volumes are attached',
    [],
  ],
  ['there is no default class', ONCE, {}, 'claim shop/data names no storage class and there is no default', []],
  ['classes are not listed', ONCE, { unlisted: 'storageclasses' }, 'storageclasses are not listed', []],
  [
    'its class does not exist',
    OF_CLASS,
    {},
    'storage class disks of claim shop/data does not exist',
    [{ kind: 'StorageClass', namespace: '', name: 'disks' }],
  ],
  [
    'its class cannot be looked up',
    OF_CLASS,
    { unlisted: 'storageclasses' },
    'storageclasses are not listed',
    [{ kind: 'StorageClass', namespace: '', name: 'disks' }],
  ],
  ['it asks for no class', { ...ONCE, storageClassName: '' }, {}, 'claim shop/data asks for no storage class', []],
  [
    'nobody knows its provisioner',
    OF_CLASS,
    { objects: [storageClass('example.com/d')] },
    'nothing tells whether volumes of class disks (example.com/d) are attached',
    [],
  ],
  [
    'nobody knows its provisioner and drivers are not listed',
    OF_CLASS,
    { objects: [storageClass('kubernetes.io/no-such')], unlisted: 'csidrivers' },
    'nothing tells whether volumes of class disks (kubernetes.io/no-such) are attached',
    [{ kind: 'CSIDriver', namespace: '', name: 'kubernetes.io/no-such' }],
  ],
];

for (const [name, spec, cluster, expected, missing] of open) {
  test(`whether a claim is attached is open while ${name}: ${expected}`, () => {
    const { claim, missed } = read(spec, cluster);
    assert.equal(because(claim.attachable), expected);
    assert.deepEqual(missed, missing);
  });
}

test('a class without a provisioner says nothing of its volumes, whatever a driver of that name says', () => {
  const name = 'kubernetes.io/no-provisioner';
  const driver = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name } };
  const { claim } = read(OF_CLASS, { objects: [storageClass(name), driver] });
  assert.equal(because(claim.attachable), `nothing tells whether volumes of class disks (${name}) are attached`);
});

test('a claim that is not there says so of everything, and is asked for', () => {
  const { claim, missed } = readVolume({ name: 'd', persistentVolumeClaim: { claimName: 'data' } });
  const { name, identity, claimsOfDisk } = claim;
  assert.deepEqual([name, identity, claimsOfDisk], ['data', 'claim shop/data', [METADATA]]);
  for (const fact of [claim.accessModes, claim.attachable, claim.onePod]) {
    assert.equal(because(fact), 'claim shop/data does not exist yet');
  }
  assert.deepEqual(missed, [{ kind: 'PersistentVolumeClaim', ...METADATA }]);
});

test('a claim that cannot be looked up says why', () => {
  const cluster: Cluster = { unlisted: 'persistentvolumeclaims' };
  const { claim } = readVolume({ name: 'd', persistentVolumeClaim: { claimName: 'data' } }, cluster);
  assert.equal(because(claim.accessModes), 'persistentvolumeclaims are not listed');
});

test('a claim whose volume is missing is still itself, of the modes that it asks for', () => {
  const { claim } = read({ ...BOUND, accessModes: ['ReadWriteOncePod'] });
  assert.deepEqual([claim.name, claim.identity, claim.claimsOfDisk], ['data', 'claim shop/data', [METADATA]]);
  assert.deepEqual([claim.accessModes, claim.onePod], [known(['ReadWriteOncePod']), known(true)]);
});

test('a claim without a class gets the default one', () => {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const { claim, missed } = read(ONCE, { objects: [storageClass('ebs.csi.aws.com', { annotations })] });
  assert.deepEqual(claim.attachable, known(true));
  assert.deepEqual(missed, []);
});

test('a disk in a template is the disk that a volume is, and the claims of that volume are its claims', () => {
  const disk = { awsElasticBlockStore: { volumeID: 'vol-1' } };
  const bound = volume({ ...disk, claimRef: METADATA });
  const { claim } = readVolume({ name: 'd', ...disk }, { objects: [bound, volume({ csi: { driver: 'd' } }, 'w')] });
  assert.equal(claim.name, 'd');
  assert.deepEqual(claim.claimsOfDisk, [METADATA]);
  assert.equal(claim.identity, read(BOUND, { objects: [bound] }).claim.identity);
  assert.deepEqual([claim.onePod, claim.onceBound, claim.nodeAffinity], [known(false), undefined, undefined]);
});

test('a disk in a template that no volume is has no claims', () => {
  const disk = { name: 'd', awsElasticBlockStore: { volumeID: 'vol-1' } };
  assert.deepEqual(readVolume(disk).claim.claimsOfDisk, []);
  assert.deepEqual(readVolume(disk, { objects: [volume({})] }).claim.claimsOfDisk, []);
  assert.deepEqual(readVolume(disk, { unlisted: 'persistentvolumes' }).claim.claimsOfDisk, []);
});

test('two claims whose volumes are one disk know each other, each once', () => {
  const csi = { driver: 'd', volumeHandle: 'h' };
  const volumes = [
    volume({ csi, claimRef: METADATA }, 'v'),
    volume({ csi, claimRef: { namespace: 'blog', name: 'data' } }, 'w'),
    volume({ csi, claimRef: { namespace: 'shop', name: 'more' } }, 'x'),
    volume({ csi }, 'y'),
  ];
  const { claim } = read(BOUND, { objects: volumes });
  assert.equal(claim.identity, 'disk d^h');
  assert.deepEqual(claim.claimsOfDisk, [
    METADATA,
    { namespace: 'blog', name: 'data' },
    { namespace: 'shop', name: 'more' },
  ]);
});

test('only a driver that may take one pod makes a bound claim ask for its class', () => {
  const local = volume({ csi: { driver: 'local.csi.openebs.io' } });
  assert.equal(
    because(read({ ...BOUND, storageClassName: 'disks' }, { objects: [local] }).claim.onePod),
    'storage class disks of claim shop/data does not exist',
  );
  const nfs = volume({ nfs: {} });
  assert.deepEqual(read({ ...BOUND, storageClassName: 'disks' }, { objects: [nfs] }).claim.onePod, known(false));
});

const claimOn = (facts: Partial<Claim>): Claim => ({ ...read(ONCE).claim, onePod: known(false), ...facts });
const OPEN = unknown('nobody knows');

const exclusive: readonly (readonly [string, Partial<Claim>, boolean])[] = [
  ['that one pod may have', { onePod: known(true), attachable: known(false) }, true],
  ['that perhaps one pod may have', { onePod: OPEN, attachable: known(false) }, true],
  ['that is not attached', { attachable: known(false), accessModes: OPEN }, false],
  ['that is perhaps attached', { attachable: OPEN }, true],
  ['of one node', { attachable: known(true) }, true],
  ['of many nodes', { attachable: known(true), accessModes: known(['ReadWriteMany']) }, false],
  ['of many nodes, or perhaps not attached', { attachable: OPEN, accessModes: known(['ReadOnlyMany']) }, false],
  ['of modes that nobody knows', { attachable: known(true), accessModes: OPEN }, true],
  ['without any mode', { attachable: known(true), accessModes: known([]) }, false],
];

for (const [name, facts, expected] of exclusive) {
  test(`a claim ${name} ${expected ? 'may be' : 'is not'} exclusive`, () => {
    assert.equal(mayBeExclusive(claimOn(facts)), expected);
  });
}

test('the provisioner of a claim is asked for each mode, and nobody once its volume is there', () => {
  const facts = (spec: JsonObject, ...objects: readonly JsonObject[]) => {
    const claim = claimFrom({ metadata: METADATA, spec });
    return gathering(stateOf({ objects }), storageMatrix(), new Budget(), (reading) => accessModeFacts(claim, reading))
      .facts;
  };
  const ebs = storageClass('ebs.csi.aws.com');
  const accessModes = ['ReadWriteOnce', 'ReadOnlyMany'];
  assert.deepEqual(facts({ ...OF_CLASS, accessModes }, ebs), {
    provisioner: 'ebs.csi.aws.com',
    support: [
      { mode: 'ReadWriteOnce', answer: 'yes' },
      { mode: 'ReadOnlyMany', answer: 'no' },
    ],
  });
  assert.deepEqual(facts({ ...OF_CLASS, volumeName: 'v' }, ebs), { provisioner: '', support: [] });
  assert.deepEqual(facts(OF_CLASS), { provisioner: '', support: [] });
});

test('a claim is itself, and not its neighbour, where its volume is no disk or says nothing of its claim', () => {
  const nfs = read(BOUND, { objects: [volume({ nfs: {} })] }).claim;
  assert.deepEqual([nfs.identity, nfs.claimsOfDisk], ['claim shop/data', [METADATA]]);
  const driver = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'd' } };
  const csi = read(BOUND, { objects: [volume({ csi: { driver: 'd', volumeHandle: 'h' } }), driver] });
  assert.deepEqual([csi.claim.identity, csi.claim.claimsOfDisk, csi.missed], ['disk d^h', [METADATA], []]);
  for (const cluster of [{}, { objects: [storageClass('ebs.csi.aws.com')] }]) {
    const { identity, claimsOfDisk } = read(OF_CLASS, cluster).claim;
    assert.equal(identity, 'claim shop/data');
    assert.deepEqual(
      claimsOfDisk.map(({ name }) => name),
      ['data'],
    );
  }
});
