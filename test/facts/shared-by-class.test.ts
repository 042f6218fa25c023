import assert from 'node:assert/strict';
import { test } from 'node:test';
import { supportByClass } from '../../src/facts/shared-by-class.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { storageClassFrom } from '../../src/objects/storage-class.ts';

function answer(
  provisioner: string,
  parameters: Readonly<Record<string, string>>,
  volumeMode: 'Filesystem' | 'Block',
  mode: 'ReadWriteMany' | 'ReadOnlyMany' | 'ReadWriteOncePod' = 'ReadWriteMany',
): string {
  const backend = storageMatrix()(provisioner) ?? assert.fail(`${provisioner} is not in the matrix`);
  const storageClass = storageClassFrom({ metadata: { name: 'mine' }, provisioner, parameters });
  return supportByClass(storageClass, backend, mode, volumeMode);
}

for (const [provisioner, parameters, volumeMode] of [
  ['csi.vsphere.vmware.com', { 'csi.storage.k8s.io/fstype': 'nfs4' }, 'Filesystem'],
  ['csi.vsphere.vmware.com', { 'csi.storage.k8s.io/fstype': 'nfs' }, 'Filesystem'],
  ['csi-vxflexos.dellemc.com', { 'csi.storage.k8s.io/fstype': 'nfs' }, 'Filesystem'],
  ['org.democratic-csi.truenas', { fsType: 'nfs' }, 'Filesystem'],
  ['diskplugin.csi.alibabacloud.com', { multiAttach: 'true' }, 'Block'],
  ['ebs.csi.aws.com', { type: 'io2' }, 'Block'],
  ['disk.csi.azure.com', { maxShares: '2' }, 'Block'],
  ['driver.longhorn.io', { migratable: 'true' }, 'Block'],
  ['csi.san.synology.com', { protocol: 'smb' }, 'Filesystem'],
  ['block.csi.vultr.com', { storage_type: 'vfs' }, 'Filesystem'],
  ['csi.hpe.com', { nfsResources: 'true' }, 'Filesystem'],
  ['csi-unity.dellemc.com', { protocol: 'NFS' }, 'Filesystem'],
  ['csi.trident.netapp.io', { backendType: 'ontap-nas-economy' }, 'Filesystem'],
  ['csi.trident.netapp.io', { backendType: 'ontap-san' }, 'Block'],
  ['pxd.portworx.com', { sharedv4: 'true' }, 'Filesystem'],
  ['pxd.portworx.com', { backend: 'pure_fa_file' }, 'Filesystem'],
] as const) {
  test(`volumes of ${provisioner} with ${JSON.stringify(parameters)} can be shared, as ${volumeMode}`, () => {
    assert.equal(answer(provisioner, {}, volumeMode), 'depends');
    assert.equal(answer(provisioner, parameters, volumeMode), 'yes');
  });
}

for (const [provisioner, parameters, volumeMode] of [
  ['csi.vsphere.vmware.com', { 'csi.storage.k8s.io/fstype': 'xfs' }, 'Filesystem'],
  ['csi.vsphere.vmware.com', { 'csi.storage.k8s.io/fstype': 'nfs4' }, 'Block'],
  ['diskplugin.csi.alibabacloud.com', { multiAttach: 'false' }, 'Block'],
  ['ebs.csi.aws.com', { type: 'gp3' }, 'Block'],
  ['disk.csi.azure.com', { maxShares: '1' }, 'Block'],
  ['disk.csi.azure.com', { type: 'io2' }, 'Block'],
] as const) {
  test(`volumes of ${provisioner} with ${JSON.stringify(parameters)} still depend, as ${volumeMode}`, () => {
    assert.equal(answer(provisioner, parameters, volumeMode), 'depends');
  });
}

test('what is not for many nodes, or is refused, is not settled by a parameter', () => {
  assert.equal(answer('ebs.csi.aws.com', { multiAttach: 'true' }, 'Filesystem'), 'no');
  assert.equal(answer('k8s.io/minikube-hostpath', { fstype: 'nfs' }, 'Filesystem', 'ReadWriteOncePod'), 'depends');
  assert.equal(answer('disk.csi.azure.com', { maxShares: '3' }, 'Block', 'ReadOnlyMany'), 'yes');
});
