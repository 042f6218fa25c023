import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/facts/json.ts';
import { podTemplateFrom } from '../../src/facts/pod-template.ts';
import { diskOf, volumeFrom } from '../../src/facts/volume.ts';

function disk(spec: JsonObject): string | undefined {
  return diskOf(volumeFrom({ spec }).source);
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

/** Disks written straight into a pod: the driver that took them over, the field that names them, the mode. */
const inline: readonly (readonly [JsonObject, string, string])[] = [
  [{ awsElasticBlockStore: { volumeID: 'v' } }, 'ebs.csi.aws.com^v', 'ReadWriteOnce'],
  [{ awsElasticBlockStore: { volumeID: 'v', readOnly: true } }, 'ebs.csi.aws.com^v', 'ReadWriteOnce'],
  [{ gcePersistentDisk: { pdName: 'v' } }, 'pd.csi.storage.gke.io^v', 'ReadWriteOnce'],
  [{ gcePersistentDisk: { pdName: 'v', readOnly: true } }, 'pd.csi.storage.gke.io^v', 'ReadOnlyMany'],
  [{ azureDisk: { diskURI: 'v' } }, 'disk.csi.azure.com^v', 'ReadWriteOnce'],
  [{ azureFile: { shareName: 'v' } }, 'file.csi.azure.com^v', 'ReadWriteMany'],
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
