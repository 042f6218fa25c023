import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { diskOf, volumeFrom } from '../../src/objects/persistent-volume.ts';
import { podTemplateFrom } from '../../src/objects/pod-template.ts';

function disk(spec: JsonObject, metadata?: JsonObject): string | undefined {
  return diskOf(volumeFrom({ metadata, spec }).source);
}

/** One disk, as `GetVolumeName` of its plugin names it, and what makes another of it. */
const fc = { targetWWNs: ['a', 'b'], lun: 2 };
const iscsi = { targetPortal: '10.0.0.1:3260', iqn: 'iqn.2001-04.com.example:disk', lun: 2 };

test('a fibre channel disk is its targets and its unit, or else its identifiers', () => {
  assert.equal(disk({ fc }), 'fc^a,b:2');
  assert.equal(disk({ fc: { targetWWNs: ['a'] } }), 'fc^a:0');
  assert.equal(disk({ fc: { wwids: ['x', 'y'] } }), 'fc^x,y');
  assert.equal(disk({ fc: { ...fc, wwids: ['x'] } }), 'fc^a,b:2');
});

test('an iSCSI disk is its portal, its name and its unit', () => {
  assert.equal(disk({ iscsi }), 'iscsi^10.0.0.1:3260:iqn.2001-04.com.example:disk:2');
  assert.equal(disk({ iscsi: { ...iscsi, lun: undefined } }), 'iscsi^10.0.0.1:3260:iqn.2001-04.com.example:disk:0');
});

test('a disk of a CSI driver is its handle, and volumes that are not attached are no disks', () => {
  assert.equal(disk({ csi: { driver: 'd', volumeHandle: 'h' } }), 'd^h');
  assert.equal(disk({ flexVolume: { driver: 'd' } }), undefined);
  assert.equal(disk({ nfs: {} }), undefined);
});

const ZONE = 'topology.kubernetes.io/zone';
const OLD_ZONE = 'failure-domain.beta.kubernetes.io/zone';

test('an in-tree GCE disk is its name in the zone that its volume is labelled with, the older label first', () => {
  const handle = (labels?: JsonObject) => disk({ gcePersistentDisk: { pdName: 'v' } }, { labels });
  const named = (place: string) => `pd.csi.storage.gke.io^projects/UNSPECIFIED/${place}/disks/v`;
  assert.equal(handle(), named('zones/UNSPECIFIED'));
  assert.equal(handle({ [ZONE]: 'us-central1-a' }), named('zones/us-central1-a'));
  assert.equal(handle({ [ZONE]: 'us-central1-a', [OLD_ZONE]: 'us-central1-b' }), named('zones/us-central1-b'));
  assert.equal(handle({ [ZONE]: 'us-central1-a', [OLD_ZONE]: '' }), named('zones/us-central1-a'));
  assert.equal(handle({ [ZONE]: 'us-central1-a__us-central1-b' }), named('regions/us-central1'));
});

test('each volume of an Azure share is a disk of its own', () => {
  const share = { secretName: 'azure-storage-account-books-secret', shareName: 's' };
  const handle = (azureFile: JsonObject, more?: JsonObject) =>
    disk({ azureFile, claimRef: { namespace: 'shop' } }, { name: 'v', ...more });
  assert.equal(handle(share), 'file.csi.azure.com^#books#s#v#shop');
  assert.equal(handle({ ...share, secretName: 'key' }), 'file.csi.azure.com^#key#s#v#shop');
  assert.equal(handle({ ...share, secretNamespace: 'keys' }), 'file.csi.azure.com^#books#s#v#keys');
  const annotations = { 'kubernetes.io/azure-file-resource-group': 'g' };
  assert.equal(handle(share, { annotations }), 'file.csi.azure.com^g#books#s#v#shop');
});

test('a name is no name to the node affinity of a volume, which holds where nothing else is asked for', () => {
  const affinity = (...nodeSelectorTerms: readonly JsonObject[]) =>
    volumeFrom({ spec: { nodeAffinity: { required: { nodeSelectorTerms } } } }).nodeAffinity;
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['a'] }];
  const matchExpressions = [{ key: ZONE, operator: 'In', values: ['z'] }];
  assert.equal(affinity({ matchExpressions }, { matchFields }), undefined);
  assert.deepEqual(affinity({ matchExpressions, matchFields }), [{ expressions: matchExpressions, fields: [] }]);
  assert.deepEqual(affinity({}), [{ expressions: [], fields: [] }]);
});

/** Disks written straight into a pod: the driver that took them over, the field that names them, the mode. */
const inline: readonly (readonly [JsonObject, string, string])[] = [
  [{ awsElasticBlockStore: { volumeID: 'v' } }, 'ebs.csi.aws.com^v', 'ReadWriteOnce'],
  [{ awsElasticBlockStore: { volumeID: 'v', readOnly: true } }, 'ebs.csi.aws.com^v', 'ReadWriteOnce'],
  [{ awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } }, 'ebs.csi.aws.com^vol-1', 'ReadWriteOnce'],
  [{ awsElasticBlockStore: { volumeID: 'aws:///vol-1/' } }, 'ebs.csi.aws.com^vol-1', 'ReadWriteOnce'],
  [
    { gcePersistentDisk: { pdName: 'v' } },
    'pd.csi.storage.gke.io^projects/UNSPECIFIED/zones/UNSPECIFIED/disks/v',
    'ReadWriteOnce',
  ],
  [
    { gcePersistentDisk: { pdName: 'v', readOnly: true } },
    'pd.csi.storage.gke.io^projects/UNSPECIFIED/zones/UNSPECIFIED/disks/v',
    'ReadOnlyMany',
  ],
  [{ azureDisk: { diskURI: 'v' } }, 'disk.csi.azure.com^v', 'ReadWriteOnce'],
  [{ azureFile: { shareName: 'v' } }, 'file.csi.azure.com^##v##', 'ReadWriteMany'],
  [{ cinder: { volumeID: 'v' } }, 'cinder.csi.openstack.org^v', 'ReadWriteOnce'],
  [{ vsphereVolume: { volumePath: 'v' } }, 'csi.vsphere.vmware.com^v', 'ReadWriteOnce'],
  [{ portworxVolume: { volumeID: 'v' } }, 'pxd.portworx.com^v', 'ReadWriteOnce'],
  [{ portworxVolume: { volumeID: 'v', readOnly: true } }, 'pxd.portworx.com^v', 'ReadOnlyMany'],
];

for (const [volume, expected, mode] of inline) {
  test(`a pod with ${JSON.stringify(volume)} mounts ${expected} as ${mode}`, () => {
    const [found, ...more] = podTemplateFrom({ spec: { volumes: [{ name: 'd', ...volume }] } }).volumes;
    assert.ok(found?.type === 'disk');
    assert.deepEqual([found.volume, diskOf(found.source), found.accessModes, more], ['d', expected, [mode], []]);
  });
}

test('volumes of a pod that are mounted and not attached are left out', () => {
  const volumes = [
    { name: 'a', emptyDir: {} },
    { name: 'b', nfs: {} },
    { name: 'c', iscsi },
  ];
  assert.deepEqual(podTemplateFrom({ spec: { volumes } }).volumes, []);
});
