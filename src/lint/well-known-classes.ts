import type { StorageClass } from '../objects/storage-class.ts';

/**
 * Storage classes that clusters come with, or that installation guides name, and their provisioner. A name that several
 * products use for different things (`standard`, `default`, `fast`) is not here.
 */
const PROVISIONERS: ReadonlyMap<string, string> = new Map(
  `
gp2                             ebs.csi.aws.com
gp3                             ebs.csi.aws.com
ebs-sc                          ebs.csi.aws.com
efs-sc                          efs.csi.aws.com
standard-rwo                    pd.csi.storage.gke.io
premium-rwo                     pd.csi.storage.gke.io
standard-rwx                    filestore.csi.storage.gke.io
premium-rwx                     filestore.csi.storage.gke.io
enterprise-rwx                  filestore.csi.storage.gke.io
managed                         disk.csi.azure.com
managed-premium                 disk.csi.azure.com
managed-csi                     disk.csi.azure.com
managed-csi-premium             disk.csi.azure.com
azurefile                       file.csi.azure.com
azurefile-premium               file.csi.azure.com
azurefile-csi                   file.csi.azure.com
azurefile-csi-premium           file.csi.azure.com
azureblob-fuse-premium          blob.csi.azure.com
azureblob-nfs-premium           blob.csi.azure.com
csi-cinder-sc-delete            cinder.csi.openstack.org
csi-cinder-sc-retain            cinder.csi.openstack.org
longhorn                        driver.longhorn.io
rook-ceph-block                 rook-ceph.rbd.csi.ceph.com
ceph-block                      rook-ceph.rbd.csi.ceph.com
csi-rbd-sc                      rbd.csi.ceph.com
rook-cephfs                     rook-ceph.cephfs.csi.ceph.com
ceph-filesystem                 rook-ceph.cephfs.csi.ceph.com
csi-cephfs-sc                   cephfs.csi.ceph.com
ocs-storagecluster-ceph-rbd     openshift-storage.rbd.csi.ceph.com
ocs-storagecluster-cephfs       openshift-storage.cephfs.csi.ceph.com
nfs-client                      k8s-sigs.io/nfs-subdir-external-provisioner
nfs-csi                         nfs.csi.k8s.io
smb                             smb.csi.k8s.io
juicefs-sc                      csi.juicefs.com
local-path                      rancher.io/local-path
hostpath                        docker.io/hostpath
microk8s-hostpath               microk8s.io/hostpath
topolvm-provisioner             topolvm.io
openebs-hostpath                openebs.io/local
do-block-storage                dobs.csi.digitalocean.com
linode-block-storage            linodebs.csi.linode.com
linode-block-storage-retain     linodebs.csi.linode.com
hcloud-volumes                  csi.hetzner.cloud
scw-bssd                        csi.scaleway.com
vultr-block-storage             block.csi.vultr.com
vultr-block-storage-hdd         block.csi.vultr.com
oci-bv                          blockvolume.csi.oraclecloud.com
ibmc-vpc-block-10iops-tier      vpc.block.csi.ibm.io
alicloud-disk-essd              diskplugin.csi.alibabacloud.com
alicloud-disk-ssd               diskplugin.csi.alibabacloud.com
cbs                             com.tencent.cloud.csi.cbs
exoscale-sbs                    csi.exoscale.com
upcloud-block-storage-maxiops   storage.csi.upcloud.com
civo-volume                     csi.civo.com
cloudscale-volume-ssd           csi.cloudscale.ch
linstor-csi-lvm-thin-r1         linstor.csi.linbit.com
harvester-longhorn              driver.longhorn.io
`
    .trim()
    .split('\n')
    .map((line): [string, string] => {
      const [name = '', provisioner = ''] = line.split(/ +/);
      return [name, provisioner];
    }),
);

/** The class that nearly everybody means by this name; `undefined` where the name tells nothing. */
export function wellKnownClass(name: string): StorageClass | undefined {
  const provisioner = PROVISIONERS.get(name);
  if (provisioner === undefined) return undefined;
  return {
    name,
    provisioner,
    parameters: new Map(),
    allowedTopologies: undefined,
    waitsForPod: false,
    isDefault: false,
    createdAt: '',
  };
}
