import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  driverOf,
  type StorageBackend,
  storageMatrix,
  supportOf,
  takesOnePod,
  UNVERIFIED,
} from '../../src/facts/storage-backend.ts';
import { csiDriverFrom, defaultClassOf, type StorageClass, storageClassFrom } from '../../src/objects/storage-class.ts';

function row(provisioner: string, attach: StorageBackend['attach']): StorageBackend {
  return {
    provisioner,
    rwo: 'yes',
    rwop: 'yes',
    rox: 'no',
    rwxFilesystem: 'no',
    rwxBlock: 'depends',
    nodePinned: 'no',
    attach,
  };
}

function storageClass(name: string, more: Partial<StorageClass> = {}): StorageClass {
  return {
    name,
    provisioner: 'example.com/disk',
    parameters: new Map(),
    allowedTopologies: undefined,
    waitsForPod: false,
    isDefault: true,
    createdAt: '',
    ...more,
  };
}

test('the table knows a provisioner by its name', () => {
  assert.equal(storageMatrix()('ebs.csi.aws.com')?.attach, 'yes');
  assert.equal(storageMatrix()('ebs.csi.aws.com.example'), undefined);
});

test('the table knows a provisioner by the end of its name', () => {
  assert.equal(storageMatrix()('rook-ceph.rbd.csi.ceph.com')?.attach, 'yes');
  assert.equal(storageMatrix()('rook-ceph.cephfs.csi.ceph.com')?.rwxFilesystem, 'yes');
});

test("Rook and OpenShift Data Foundation attach Ceph's file systems, and ceph-csi itself does not", () => {
  for (const kind of ['cephfs', 'nfs']) {
    const drivers = ['rook-ceph.', 'openshift-storage.', ''].map((namespace) => `${namespace}${kind}.csi.ceph.com`);
    assert.deepEqual(
      drivers.map((driver) => storageMatrix()(driver)?.attach),
      ['yes', 'yes', 'no'],
    );
  }
});

test('the table knows a provisioner by the beginning of its name', () => {
  assert.equal(storageMatrix()('cluster.local/nfs-client')?.attach, 'no');
  assert.equal(storageMatrix()('org.democratic-csi.iscsi')?.attach, 'depends');
});

test('a name that only begins or ends like a pattern without its star is not meant', () => {
  assert.equal(storageMatrix()('clusters.example.com'), undefined);
  assert.equal(storageMatrix()('csi.ceph.com'), undefined);
  assert.equal(storageMatrix()(''), undefined);
});

test('the table knows how far a volume can move, unless that depends', () => {
  const provisioners = ['topolvm.io', 'ebs.csi.aws.com', 'nfs.csi.k8s.io', 'driver.longhorn.io'];
  assert.deepEqual(
    provisioners.map((provisioner) => storageMatrix()(provisioner)?.nodePinned),
    ['node', 'zone', 'no', '?'],
  );
});

test('what a configured row leaves open is taken from ours, and is open where we have none', () => {
  const matrix = storageMatrix(
    ['ebs.csi.aws.com', 'example.com/disk'].map((provisioner) => ({ ...UNVERIFIED, provisioner, rwxBlock: 'yes' })),
  );
  const answers = (provisioner: string) => [matrix(provisioner)?.rwxBlock, matrix(provisioner)?.attach];
  assert.deepEqual(answers('ebs.csi.aws.com'), ['yes', 'yes']);
  assert.deepEqual(answers('example.com/disk'), ['yes', '?']);
});

test('an exact name comes before a pattern, wherever the two stand', () => {
  const matrix = storageMatrix([row('*.example.com', 'no'), row('disk.example.com', 'yes')]);
  assert.equal(matrix('disk.example.com')?.attach, 'yes');
  assert.equal(matrix('file.example.com')?.attach, 'no');
});

test('of two patterns the first counts', () => {
  const matrix = storageMatrix([row('*.example.com', 'no'), row('disk.*', 'yes')]);
  assert.equal(matrix('disk.example.com')?.attach, 'no');
});

test('a configured row comes before ours, a configured pattern before our exact name', () => {
  assert.equal(storageMatrix([row('ebs.csi.aws.com', 'no')])('ebs.csi.aws.com')?.attach, 'no');
  assert.equal(storageMatrix([row('*.csi.aws.com', 'no')])('ebs.csi.aws.com')?.attach, 'no');
});

test('each mode has an answer of its own, and ReadWriteMany one for each way to use the volume', () => {
  const backend: StorageBackend = { ...row('example.com/disk', 'yes'), rwo: 'yes', rwop: 'depends', rox: '?' };
  assert.equal(supportOf(backend, 'ReadWriteOnce', 'Filesystem'), 'yes');
  assert.equal(supportOf(backend, 'ReadWriteOncePod', 'Filesystem'), 'depends');
  assert.equal(supportOf(backend, 'ReadOnlyMany', 'Filesystem'), '?');
  assert.equal(supportOf(backend, 'ReadWriteMany', 'Filesystem'), 'no');
  assert.equal(supportOf(backend, 'ReadWriteMany', 'Block'), 'depends');
});

for (const [provisioner, driver] of [
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  ['example.com/disk', 'example.com/disk'],
] as const) {
  test(`${driver} does the work of ${provisioner}`, () => {
    assert.equal(driverOf(provisioner), driver);
  });
}

test('LocalPV takes one pod unless its class says shared', () => {
  const lvm = storageClass('lvm', { provisioner: 'local.csi.openebs.io' });
  assert.equal(takesOnePod(lvm), true);
  assert.equal(takesOnePod({ ...lvm, parameters: new Map([['shared', 'no']]) }), true);
  assert.equal(takesOnePod({ ...lvm, parameters: new Map([['shared', 'yes']]) }), false);
  assert.equal(takesOnePod(storageClass('disks')), false);
});

test('of several default classes the newest counts', () => {
  const classes = [
    storageClass('a', { createdAt: '2026-01-01T00:00:00Z' }),
    storageClass('b', { createdAt: '2026-02-01T00:00:00Z' }),
    storageClass('c', { createdAt: '2026-03-01T00:00:00Z', isDefault: false }),
  ];
  assert.equal(defaultClassOf(classes)?.name, 'b');
  assert.equal(defaultClassOf(classes.toReversed())?.name, 'b');
});

test('how old a class is says its creation timestamp', () => {
  const made = (name: string, creationTimestamp?: string) =>
    storageClassFrom({
      metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    });
  const classes = [made('a', '2026-01-01T00:00:00Z'), made('b', '2026-02-01T00:00:00Z'), made('c')];
  assert.equal(defaultClassOf(classes)?.name, 'b');
});

test('of default classes of one moment the lowest name counts', () => {
  const classes = [storageClass('b'), storageClass('a'), storageClass('c')];
  assert.equal(defaultClassOf(classes)?.name, 'a');
});

test('without a default class there is none', () => {
  assert.equal(defaultClassOf([storageClass('a', { isDefault: false })]), undefined);
});

test('both annotations make a class the default, with the value true alone', () => {
  for (const prefix of ['storageclass.kubernetes.io', 'storageclass.beta.kubernetes.io']) {
    const annotated = (value: string): boolean =>
      storageClassFrom({ metadata: { annotations: { [`${prefix}/is-default-class`]: value } } }).isDefault;
    assert.equal(annotated('true'), true);
    assert.equal(annotated('True'), false);
  }
});

test('a driver attaches unless it says otherwise', () => {
  assert.equal(csiDriverFrom({ metadata: { name: 'a' } }).attachRequired, true);
  assert.equal(csiDriverFrom({ spec: { attachRequired: false } }).attachRequired, false);
});
