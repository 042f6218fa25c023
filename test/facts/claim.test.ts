import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import type { Claim } from '../../src/facts/claim.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { ListName } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

const CLASS = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'disks' }, provisioner: 'd' };
const DRIVER = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'd' } };

function claim(spec: JsonObject, status: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'data' },
    spec,
    status,
  };
}

function volume(spec: JsonObject, labels: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v', labels }, spec };
}

const BOUND = { volumeName: 'v', accessModes: ['ReadWriteMany'] };

/** The facts of what a Deployment's pods share, with these volumes in the template. */
function factsOf(volumes: readonly JsonObject[], objects: readonly JsonObject[], unsynced?: ListName) {
  const state = new ClusterState((list) => (list === unsynced ? unknown(`${list} are not listed yet`) : known(true)));
  for (const object of objects) putObject(state, object);
  const workload = workloadFrom('Deployment', {
    metadata: { namespace: 'shop' },
    spec: { template: { spec: { volumes } } },
  });
  const { facts, missed } = gatherFacts(workload, state, storageMatrix(), new Budget());
  return { claims: facts.claims, missed: missed.map(({ kind, name }) => `${kind} ${name}`) };
}

const DATA = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };

function only(objects: readonly JsonObject[], unsynced?: ListName): Claim {
  const { claims } = factsOf([DATA], objects, unsynced);
  assert.equal(claims.length, 1);
  const [first] = claims;
  assert.ok(first);
  return first;
}

test('the modes of the volume come before those of the claim', () => {
  const { accessModes } = only([
    claim(BOUND, { accessModes: ['ReadOnlyMany'] }),
    volume({ accessModes: ['ReadWriteOnce'], nfs: {} }),
  ]);
  assert.deepEqual(accessModes, known(['ReadWriteOnce']));
});

test('without the volume the modes of the status come before those of the spec', () => {
  assert.deepEqual(only([claim(BOUND, { accessModes: ['ReadOnlyMany'] })]).accessModes, known(['ReadOnlyMany']));
  assert.deepEqual(only([claim(BOUND)]).accessModes, known(['ReadWriteMany']));
});

test('an in-tree GCE disk is ReadWriteOnce, unless it is only read', () => {
  const modesOf = (...accessModes: readonly string[]) =>
    only([claim(BOUND), volume({ accessModes, gcePersistentDisk: { pdName: 'p' } })]).accessModes;
  assert.deepEqual(modesOf('ReadWriteMany'), known(['ReadWriteOnce']));
  assert.deepEqual(modesOf('ReadWriteOnce', 'ReadOnlyMany'), known(['ReadWriteOnce']));
  assert.deepEqual(modesOf('ReadOnlyMany'), known(['ReadOnlyMany']));
});

const sources: readonly [string, JsonObject, boolean][] = [
  ['a CSI volume', { csi: { driver: 'd' } }, true],
  ['an in-tree disk', { awsElasticBlockStore: { volumeID: 'v' } }, true],
  ['a fibre channel volume', { fc: {} }, true],
  ['an iSCSI volume', { iscsi: {} }, true],
  ['NFS', { nfs: {} }, false],
  ['a host path', { hostPath: {} }, false],
  ['a local volume', { local: {} }, false],
];

for (const [name, source, attachable] of sources) {
  test(`${name} is ${attachable ? '' : 'not '}attached`, () => {
    assert.deepEqual(only([claim(BOUND), volume(source), DRIVER]).attachable, known(attachable));
  });
}

test('a volume of a driver that asks for no attaching is not attached', () => {
  const objects = [claim(BOUND), volume({ csi: { driver: 'd' } }), { ...DRIVER, spec: { attachRequired: false } }];
  assert.deepEqual(only(objects).attachable, known(false));
});

test('a volume is of unknown attaching while the drivers are not listed', () => {
  assert.equal(only([claim(BOUND), volume({ csi: { driver: 'd' } })], 'csidrivers').attachable.known, false);
});

test('a volume that is kept for another claim is not the claim’s', () => {
  const claimRef = { namespace: 'shop', name: 'other' };
  const { attachable, accessModes } = only([
    claim(BOUND),
    volume({ accessModes: ['ReadWriteOnce'], claimRef, nfs: {} }),
  ]);
  assert.equal(attachable.known, false);
  assert.deepEqual(accessModes, known(['ReadWriteMany']));
});

test('an unbound claim is as attachable as its class’s driver says, then as the table says, then unknown', () => {
  const unbound = claim({ storageClassName: 'disks', accessModes: ['ReadWriteOnce'] });
  assert.deepEqual(only([unbound, CLASS, DRIVER]).attachable, known(true));
  assert.deepEqual(only([unbound, CLASS, { ...DRIVER, spec: { attachRequired: false } }]).attachable, known(false));
  assert.deepEqual(only([unbound, { ...CLASS, provisioner: 'ebs.csi.aws.com' }]).attachable, known(true));
  assert.equal(only([unbound, CLASS]).attachable.known, false);
  assert.equal(only([unbound]).attachable.known, false);
});

test('a volume of LocalPV takes one pod or several by its class, and without it nobody knows', () => {
  const lvm = [claim({ ...BOUND, storageClassName: 'disks' }), volume({ csi: { driver: 'local.csi.openebs.io' } })];
  const lvmClass = { ...CLASS, provisioner: 'local.csi.openebs.io' };
  assert.deepEqual(only([...lvm, lvmClass]).onePod, known(true));
  assert.deepEqual(only([...lvm, { ...lvmClass, parameters: { shared: 'yes' } }]).onePod, known(false));
  assert.equal(only(lvm).onePod.known, false);
});

test('ReadWriteOncePod of the claim decides, and not that of the volume', () => {
  assert.deepEqual(only([claim({ ...BOUND, accessModes: ['ReadWriteOncePod'] })]).onePod, known(true));
  const rwop = volume({ accessModes: ['ReadWriteOncePod'], nfs: {} });
  assert.deepEqual(only([claim({ ...BOUND, accessModes: ['ReadWriteOnce'] }), rwop]).onePod, known(false));
});

test('what was asked for and not found is named, once each', () => {
  const twice = [DATA, { name: 'again', persistentVolumeClaim: { claimName: 'data' } }];
  assert.deepEqual(factsOf(twice, []).missed, ['PersistentVolumeClaim data', 'Namespace shop']);
  assert.deepEqual(factsOf([DATA], [claim(BOUND)]).missed, ['PersistentVolume v', 'Namespace shop']);
  const classless = [claim({ storageClassName: 'disks' })];
  assert.deepEqual(factsOf([DATA], classless).missed, ['StorageClass disks', 'Namespace shop']);
});

test('a class is not asked for where a bound volume says everything', () => {
  const { missed } = factsOf([DATA], [claim({ ...BOUND, storageClassName: 'gone' }), volume({ nfs: {} })]);
  assert.deepEqual(missed, ['Namespace shop']);
});

test('a claim and a disk that share a name are two', () => {
  const disk = { name: 'data', awsElasticBlockStore: { volumeID: 'v' } };
  const { claims } = factsOf([{ name: 'mount', persistentVolumeClaim: { claimName: 'data' } }, disk], []);
  assert.deepEqual(
    claims.map(({ identity }) => identity),
    ['claim shop/data', 'disk ebs.csi.aws.com^v'],
  );
});

test('one disk under two names is one, and ephemeral volumes are none', () => {
  const source = { awsElasticBlockStore: { volumeID: 'v' } };
  const { claims } = factsOf(
    [
      { name: 'a', ...source },
      { name: 'b', ...source },
      { name: 'c', ephemeral: {} },
    ],
    [],
  );
  assert.equal(claims.length, 1);
});

test('a volume is usable where its node affinity and its zone labels say', () => {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: 'k', operator: 'In', values: ['a'] }] }];
  const placed = only([
    claim(BOUND),
    volume({ nfs: {}, nodeAffinity: { required: { nodeSelectorTerms } } }, { 'topology.kubernetes.io/zone': 'a__b' }),
  ]);
  assert.deepEqual(placed.nodeAffinity, [{ expressions: [{ key: 'k', operator: 'In', values: ['a'] }], fields: [] }]);
  assert.deepEqual([...placed.zones], [['topology.kubernetes.io/zone', ['a', 'b']]]);
});
