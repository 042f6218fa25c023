import type { AccessMode } from '../objects/access-mode.ts';
import { HOSTNAME } from '../objects/node.ts';
import type { StorageClass } from '../objects/storage-class.ts';
import { REGION, ZONE } from '../objects/zone.ts';

/** What a provisioner says of something: `depends` on its configuration, `?` is not verified. */
export type Support = 'yes' | 'no' | 'depends' | '?';

/** What is known of a provisioner without asking the cluster. */
export interface StorageBackend {
  /** The name of the provisioner, exact or with one `*` at the start or the end. */
  readonly provisioner: string;
  readonly rwo: Support;
  readonly rwop: Support;
  readonly rox: Support;
  readonly rwxFilesystem: Support;
  readonly rwxBlock: Support;
  /** How far a volume can move: one node, one zone or region, or anywhere (`no`); `?` also where it depends. */
  readonly nodePinned: 'node' | 'zone' | 'region' | 'no' | '?';
  /** Whether the attach-detach controller keeps its volumes on one node. */
  readonly attach: Support;
}

/** What a configured row does not say is not known. */
export const UNVERIFIED = {
  rwo: '?',
  rwop: '?',
  rox: '?',
  rwxFilesystem: '?',
  rwxBlock: '?',
  nodePinned: '?',
  attach: '?',
} as const;

/**
 * provisioner, then ReadWriteOnce, ReadWriteOncePod, ReadOnlyMany, ReadWriteMany as a filesystem and as a block
 * device, node-pinned, attached, and where it was read. ReadWriteOncePod is `yes` also where Kubernetes alone keeps it.
 * A prefix before Ceph's drivers is the namespace of Rook or OpenShift Data Foundation, which ask for attachment, unlike
 * ceph-csi itself (`ceph-csi-operator/internal/controller/driver_controller.go:reconcileK8sCsiDriver`).
 */
const MATRIX = `
ebs.csi.aws.com                              yes      yes      no       no       depends  zone     yes      https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/HEAD/docs/multi-attach.md
efs.csi.aws.com                              yes      yes      ?        yes      no       no       no       https://github.com/kubernetes-sigs/aws-efs-csi-driver/blob/HEAD/pkg/driver/node.go
fsx.csi.aws.com                              yes      yes      ?        yes      no       no       no       https://github.com/kubernetes-sigs/aws-fsx-csi-driver/blob/HEAD/pkg/driver/controller.go
fsx.openzfs.csi.aws.com                      yes      yes      ?        yes      no       no       no       https://github.com/kubernetes-sigs/aws-fsx-openzfs-csi-driver
s3.csi.aws.com                               no       no       yes      yes      no       no       no       https://github.com/awslabs/mountpoint-s3-csi-driver/blob/HEAD/docs/CONFIGURATION.md
pd.csi.storage.gke.io                        yes      yes      depends  no       depends  zone     yes      https://github.com/kubernetes-sigs/gcp-compute-persistent-disk-csi-driver/blob/HEAD/pkg/gce-pd-csi-driver/utils.go
filestore.csi.storage.gke.io                 yes      yes      yes      yes      no       no       no       https://github.com/kubernetes-sigs/gcp-filestore-csi-driver/blob/HEAD/pkg/csi_driver/gcfs_driver.go
gcsfuse.csi.storage.gke.io                   yes      yes      yes      yes      no       no       depends  https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/blob/HEAD/README.md
lustre.csi.storage.gke.io                    yes      yes      ?        yes      no       no       ?        https://cloud.google.com/kubernetes-engine/docs/concepts/managed-lustre
disk.csi.azure.com                           yes      yes      depends  no       depends  zone     yes      https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/HEAD/pkg/azureutils/azure_disk_utils.go
file.csi.azure.com                           yes      yes      yes      yes      no       no       no       https://github.com/kubernetes-sigs/azurefile-csi-driver/blob/HEAD/pkg/azurefile/azurefile.go
blob.csi.azure.com                           yes      yes      yes      yes      no       no       no       https://github.com/kubernetes-sigs/blob-csi-driver/blob/HEAD/pkg/blob/blob.go
cinder.csi.openstack.org                     yes      yes      ?        no       depends  zone     yes      https://github.com/kubernetes/cloud-provider-openstack/blob/HEAD/docs/cinder-csi-plugin/features.md
nfs.manila.csi.openstack.org                 yes      yes      yes      yes      no       no       no       https://github.com/kubernetes/cloud-provider-openstack/blob/HEAD/pkg/csi/manila/driver.go
cephfs.manila.csi.openstack.org              yes      yes      yes      yes      no       no       no       https://github.com/kubernetes/cloud-provider-openstack/blob/HEAD/pkg/csi/manila/driver.go
csi.vsphere.vmware.com                       yes      yes      depends  depends  depends  depends  yes      https://github.com/kubernetes-sigs/vsphere-csi-driver/blob/HEAD/pkg/csi/service/common/util.go
driver.longhorn.io                           yes      yes      ?        yes      depends  depends  yes      https://github.com/longhorn/longhorn-manager/blob/HEAD/csi/controller_server.go
rbd.csi.ceph.com                             yes      yes      depends  no       yes      no       yes      https://github.com/ceph/ceph-csi/blob/HEAD/internal/rbd/nodeserver.go
*.rbd.csi.ceph.com                           yes      yes      depends  no       yes      no       yes      https://github.com/ceph/ceph-csi/blob/HEAD/internal/rbd/nodeserver.go
cephfs.csi.ceph.com                          yes      yes      depends  yes      no       no       no       https://github.com/ceph/ceph-csi/blob/HEAD/deploy/cephfs/kubernetes/csidriver.yaml
*.cephfs.csi.ceph.com                        yes      yes      depends  yes      no       no       yes      https://github.com/rook/rook/pull/4332
nfs.csi.ceph.com                             yes      yes      ?        yes      no       no       no       https://github.com/ceph/ceph-csi/blob/HEAD/deploy/nfs/kubernetes/csidriver.yaml
*.nfs.csi.ceph.com                           yes      yes      ?        yes      no       no       yes      https://github.com/rook/rook/pull/11899
nfs.csi.k8s.io                               yes      yes      yes      yes      no       no       no       https://github.com/kubernetes-csi/csi-driver-nfs/blob/HEAD/pkg/nfs/nfs.go
smb.csi.k8s.io                               yes      yes      yes      yes      no       no       no       https://github.com/kubernetes-csi/csi-driver-smb/blob/HEAD/pkg/smb/smb.go
cluster.local/*                              yes      depends  yes      yes      no       no       no       https://github.com/kubernetes-sigs/nfs-subdir-external-provisioner/blob/HEAD/cmd/nfs-subdir-external-provisioner/provisioner.go
k8s-sigs.io/nfs-subdir-external-provisioner  yes      depends  yes      yes      no       no       no       https://github.com/kubernetes-sigs/nfs-subdir-external-provisioner/blob/HEAD/cmd/nfs-subdir-external-provisioner/provisioner.go
rancher.io/local-path                        yes      yes      depends  depends  no       node     no       https://github.com/rancher/local-path-provisioner/blob/HEAD/provisioner.go
k8s.io/minikube-hostpath                     yes      depends  ?        ?        no       ?        no       https://github.com/kubernetes/minikube/blob/HEAD/deploy/addons/storageclass/storageclass.yaml
docker.io/hostpath                           yes      depends  ?        ?        no       ?        no       https://docs.docker.com/desktop/features/kubernetes/
microk8s.io/hostpath                         yes      depends  ?        ?        no       node     no       https://microk8s.io/docs/addon-hostpath-storage
hostpath.csi.k8s.io                          yes      yes      ?        ?        ?        node     no       https://github.com/kubernetes-csi/csi-driver-host-path/blob/HEAD/pkg/hostpath/nodeserver.go
topolvm.io                                   yes      yes      no       no       no       node     no       https://github.com/topolvm/topolvm/blob/HEAD/internal/driver/node.go
topolvm.cybozu.com                           yes      yes      no       no       no       node     no       https://github.com/topolvm/topolvm/blob/HEAD/internal/driver/node.go
local.csi.openebs.io                         yes      yes      no       no       no       node     no       https://github.com/openebs/lvm-localpv/blob/HEAD/docs/storageclasses.md
zfs.csi.openebs.io                           yes      yes      no       no       no       node     no       https://github.com/openebs/zfs-localpv/blob/HEAD/docs/storageclasses.md
openebs.io/local                             yes      no       no       no       no       node     no       https://github.com/openebs/dynamic-localpv-provisioner/blob/HEAD/cmd/provisioner-localpv/app/provisioner.go
io.openebs.csi-mayastor                      yes      yes      no       no       no       depends  yes      https://github.com/openebs/mayastor-control-plane/blob/HEAD/control-plane/csi-driver/src/bin/controller/controller.rs
cstor.csi.openebs.io                         yes      yes      no       no       no       no       no       https://github.com/openebs/cstor-csi/blob/HEAD/pkg/driver/service.go
jiva.csi.openebs.io                          yes      yes      no       no       no       no       no       https://github.com/openebs/jiva-operator/blob/HEAD/pkg/driver/driver.go
directpv-min-io                              yes      yes      no       no       no       node     no       https://github.com/minio/directpv/blob/HEAD/pkg/csi/controller/server.go
lvm.hwameistor.io                            yes      yes      ?        no       ?        depends  ?        https://github.com/hwameistor/hwameistor/blob/HEAD/pkg/local-storage/member/csi/plugin.go
linstor.csi.linbit.com                       yes      yes      yes      depends  depends  depends  yes      https://github.com/piraeusdatastore/linstor-csi/blob/HEAD/pkg/driver/driver.go
pxd.portworx.com                             yes      yes      depends  depends  no       no       no       https://github.com/libopenstorage/operator/blob/HEAD/drivers/storage/portworx/component/csi.go
org.democratic-csi.*                         yes      yes      depends  depends  depends  depends  depends  https://github.com/democratic-csi/charts/blob/HEAD/stable/democratic-csi/values.yaml
csi.san.synology.com                         yes      yes      ?        depends  depends  no       yes      https://github.com/SynologyOpenSource/synology-csi/blob/HEAD/pkg/driver/controllerserver.go
dobs.csi.digitalocean.com                    yes      yes      no       no       no       no       yes      https://github.com/digitalocean/csi-digitalocean/blob/HEAD/driver/controller.go
linodebs.csi.linode.com                      yes      yes      no       no       no       no       yes      https://github.com/linode/linode-blockstorage-csi-driver/blob/HEAD/internal/driver/capabilities.go
csi.hetzner.cloud                            yes      yes      no       no       no       region   yes      https://github.com/hetznercloud/csi-driver/blob/HEAD/internal/driver/helper.go
csi.scaleway.com                             yes      yes      no       no       no       zone     yes      https://github.com/scaleway/scaleway-csi/blob/HEAD/pkg/driver/controller.go
filestorage.csi.scaleway.com                 yes      ?        ?        yes      no       zone     ?        https://github.com/scaleway/scaleway-filestorage-csi
block.csi.vultr.com                          yes      yes      no       depends  no       no       yes      https://github.com/vultr/vultr-csi/blob/HEAD/internal/vultrstorage/vultrstorage.go
blockvolume.csi.oraclecloud.com              yes      yes      no       no       yes      zone     yes      https://github.com/oracle/oci-cloud-controller-manager/blob/HEAD/pkg/csi/driver/bv_controller.go
fss.csi.oraclecloud.com                      yes      yes      yes      yes      no       no       no       https://github.com/oracle/oci-cloud-controller-manager/blob/HEAD/pkg/csi/driver/fss_controller.go
lustre.csi.oraclecloud.com                   yes      yes      yes      yes      no       no       no       https://github.com/oracle/oci-cloud-controller-manager/blob/HEAD/pkg/csi/driver/lustre_controller.go
vpc.block.csi.ibm.io                         yes      yes      no       no       no       zone     yes      https://github.com/kubernetes-sigs/ibm-vpc-block-csi-driver/blob/HEAD/pkg/ibmcsidriver/ibm_csi_driver.go
vpc.file.csi.ibm.io                          yes      yes      ?        yes      no       zone     no       https://github.com/IBM/ibm-vpc-file-csi-driver/blob/HEAD/pkg/ibmcsidriver/ibm_csi_driver.go
spectrumscale.csi.ibm.com                    depends  ?        yes      yes      no       no       yes      https://github.com/IBM/ibm-spectrum-scale-csi/blob/HEAD/driver/csiplugin/controllerserver.go
block.csi.ibm.com                            yes      ?        ?        ?        ?        no       yes      https://www.ibm.com/docs/en/stg-block-csi-driver
diskplugin.csi.alibabacloud.com              yes      yes      depends  no       depends  zone     yes      https://github.com/kubernetes-sigs/alibaba-cloud-csi-driver/blob/HEAD/pkg/disk/utils.go
nasplugin.csi.alibabacloud.com               yes      yes      yes      yes      no       no       no       https://github.com/kubernetes-sigs/alibaba-cloud-csi-driver/blob/HEAD/pkg/nas/controllerserver.go
ossplugin.csi.alibabacloud.com               yes      ?        yes      yes      no       no       yes      https://github.com/kubernetes-sigs/alibaba-cloud-csi-driver/blob/HEAD/deploy/charts/alibaba-cloud-csi-driver/templates/csi-driver.yaml
com.tencent.cloud.csi.cbs                    yes      yes      no       no       no       zone     yes      https://github.com/TencentCloud/kubernetes-csi-tencentcloud/blob/HEAD/driver/cbs/controller.go
com.tencent.cloud.csi.cfs                    yes      ?        ?        yes      no       no       no       https://github.com/TencentCloud/kubernetes-csi-tencentcloud/blob/HEAD/driver/cfs/driver.go
csi.exoscale.com                             yes      yes      no       no       no       zone     yes      https://github.com/exoscale/exoscale-csi-driver/blob/HEAD/driver/controller.go
storage.csi.upcloud.com                      yes      yes      no       no       no       zone     yes      https://github.com/UpCloudLtd/upcloud-csi/blob/HEAD/internal/controller/controller_utils.go
csi.civo.com                                 yes      yes      no       no       no       no       yes      https://github.com/civo/civo-csi/blob/HEAD/pkg/driver/controller_server.go
csi.cloudscale.ch                            yes      yes      no       no       no       zone     yes      https://github.com/cloudscale-ch/csi-cloudscale/blob/HEAD/driver/controller.go
csi.proxmox.sinextra.dev                     yes      yes      no       no       no       depends  yes      https://github.com/sergelogvinov/proxmox-csi-plugin/blob/HEAD/README.md
driver.harvesterhci.io                       yes      yes      no       depends  no       no       yes      https://github.com/harvester/harvester-csi-driver/blob/HEAD/pkg/csi/controller_server.go
csi.kubevirt.io                              yes      yes      depends  depends  depends  no       yes      https://github.com/kubevirt/csi-driver/blob/HEAD/pkg/service/controller.go
csi.juicefs.com                              yes      yes      yes      yes      no       no       no       https://github.com/juicedata/juicefs-csi-driver/blob/HEAD/pkg/driver/controller.go
seaweedfs-csi-driver                         yes      yes      ?        yes      no       no       depends  https://github.com/seaweedfs/seaweedfs-csi-driver/blob/HEAD/deploy/helm/seaweedfs-csi-driver/values.yaml
csi.weka.io                                  yes      yes      yes      yes      no       no       yes      https://github.com/weka/csi-wekafs/blob/HEAD/pkg/wekafs/controllerserver.go
org.gluster.glusterfs                        yes      ?        ?        yes      no       no       ?        https://github.com/gluster/gluster-csi-driver/blob/HEAD/README.md
org.kadalu.gluster                           yes      ?        ?        yes      ?        no       ?        https://github.com/kadalu/kadalu
quobyte-csi                                  yes      ?        ?        yes      no       no       ?        https://github.com/quobyte/quobyte-csi
csi.trident.netapp.io                        yes      yes      yes      depends  depends  no       yes      https://github.com/NetApp/trident/blob/HEAD/core/common.go
pure-csi                                     yes      ?        ?        depends  depends  no       depends  https://github.com/purestorage/helm-charts/blob/HEAD/README.md
csi-powerstore.dellemc.com                   yes      yes      yes      depends  yes      no       yes      https://github.com/dell/csi-powerstore/blob/HEAD/pkg/controller/controller.go
csi-vxflexos.dellemc.com                     yes      ?        yes      depends  yes      no       yes      https://github.com/dell/csi-vxflexos/blob/HEAD/service/controller.go
csi-isilon.dellemc.com                       yes      yes      yes      yes      no       no       yes      https://github.com/dell/csi-powerscale/blob/HEAD/service/controller.go
csi-unity.dellemc.com                        yes      yes      depends  depends  yes      no       yes      https://github.com/dell/csi-unity/blob/HEAD/service/validator.go
csi-powermax.dellemc.com                     yes      yes      yes      depends  yes      no       yes      https://github.com/dell/csi-powermax/blob/HEAD/service/controller.go
csi.hpe.com                                  yes      yes      depends  depends  yes      no       yes      https://github.com/hpe-storage/csi-driver/blob/HEAD/pkg/driver/controller_server.go
filex.csi.hpe.com                            yes      ?        ?        yes      no       no       ?        https://scod.hpedev.io/filex_csi_driver
csi.huawei.com                               yes      ?        depends  depends  depends  no       depends  https://github.com/Huawei/eSDK_K8S_Plugin/blob/HEAD/helm/esdk/values.yaml
csi.nutanix.com                              yes      ?        ?        depends  ?        no       no       https://github.com/nutanix/helm/blob/HEAD/charts/nutanix-csi-storage/templates/csi-driver.yaml
hspc.csi.hitachi.com                         yes      ?        ?        no       ?        no       yes      https://knowledge.hitachivantara.com/Documents/Adapters_and_Drivers/Storage_Adapters_and_Drivers/Containers
infinibox-csi-driver                         yes      ?        ?        depends  depends  no       ?        https://github.com/Infinidat/infinibox-csi-driver
kubernetes.io/aws-ebs                        yes      ?        ?        no       no       zone     yes      https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
kubernetes.io/gce-pd                         yes      ?        ?        no       no       zone     yes      https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
kubernetes.io/azure-disk                     yes      ?        ?        no       no       zone     yes      https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
kubernetes.io/cinder                         yes      ?        ?        no       no       zone     yes      https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
kubernetes.io/vsphere-volume                 yes      ?        ?        no       no       ?        yes      https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
kubernetes.io/portworx-volume                yes      ?        ?        depends  no       ?        no       https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
kubernetes.io/azure-file                     yes      ?        yes      yes      no       no       no       https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
`;

/**
 * LocalPV refuses a second pod on the same node too, unless its class says `shared: "yes"`
 * (openebs/lvm-localpv docs/storageclasses.md and issue 491; zfs-localpv follows the same rule).
 */
const ONE_POD_UNLESS_SHARED: ReadonlySet<string> = new Set(['local.csi.openebs.io', 'zfs.csi.openebs.io']);

/** In-tree provisioners that a CSI driver took over (`csi-translation-lib/plugins/*.go`). */
const MIGRATED_TO: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
]);

/** The driver that does the work of a provisioner: itself, or the one that an in-tree provisioner migrated to. */
export function driverOf(provisioner: string): string {
  return MIGRATED_TO.get(provisioner) ?? provisioner;
}

/** Whether it depends on the class if a volume of this driver takes one pod at a time. */
export function mayTakeOnePod(driver: string): boolean {
  return ONE_POD_UNLESS_SHARED.has(driver);
}

/** Whether a volume of this class takes one pod at a time, whatever its access mode says. */
export function takesOnePod({ provisioner, parameters }: StorageClass): boolean {
  return mayTakeOnePod(provisioner) && parameters.get('shared') !== 'yes';
}

/** Parameters of a class, in lower case, and the values with which volumes of the driver reach beyond their zone. */
const BEYOND_ZONE: ReadonlyMap<string, readonly (readonly [parameter: string, value: RegExp])[]> = new Map([
  // gcp-compute-persistent-disk-csi-driver pkg/parameters: regional disks, and copies of one disk in several zones.
  [
    'pd.csi.storage.gke.io',
    [
      ['replication-type', /^regional-pd$/i],
      ['type', /^hyperdisk-balanced-high-availability$/i],
      ['enable-multi-zone-provisioning', /^true$/i],
    ],
  ],
  // azuredisk-csi-driver deploy/example/topology/README.md: zone-redundant storage.
  [
    'disk.csi.azure.com',
    [
      ['skuname', /_ZRS$/i],
      ['storageaccounttype', /_ZRS$/i],
    ],
  ],
  // alibaba-cloud-csi-driver pkg/disk: types may be a list.
  ['diskplugin.csi.alibabacloud.com', [['type', /regional/i]]],
]);

/** The topology of which a volume of this class stays in one domain; `undefined` where it stays in none, or nobody knows. */
export function topologyOfVolumes(
  { provisioner, parameters }: StorageClass,
  matrix: StorageMatrix,
): string | undefined {
  const pinned = matrix(provisioner)?.nodePinned;
  if (pinned === 'node') return HOSTNAME;
  if (pinned === 'region') return REGION;
  if (pinned !== 'zone') return undefined;
  const beyond = BEYOND_ZONE.get(driverOf(provisioner)) ?? [];
  const isBeyond = [...parameters].some(([name, value]) =>
    beyond.some(([parameter, values]) => name.toLowerCase() === parameter && values.test(value)),
  );
  return isBeyond ? undefined : ZONE;
}

/** The column that answers for one access mode. */
export function supportOf(backend: StorageBackend, mode: AccessMode, volumeMode: 'Filesystem' | 'Block'): Support {
  switch (mode) {
    case 'ReadWriteOnce':
      return backend.rwo;
    case 'ReadWriteOncePod':
      return backend.rwop;
    case 'ReadOnlyMany':
      return backend.rox;
    case 'ReadWriteMany':
      return volumeMode === 'Block' ? backend.rwxBlock : backend.rwxFilesystem;
    default:
      return mode satisfies never;
  }
}

/** Finds what is known of a provisioner. */
export type StorageMatrix = (provisioner: string) => StorageBackend | undefined;

/** An exact name comes before a pattern. What a configured row does not say is taken from ours. */
export function storageMatrix(configured: readonly StorageBackend[] = []): StorageMatrix {
  const chosen = tableOf(configured);
  const ours = tableOf(builtIn());
  return (provisioner) => {
    const row = chosen(provisioner);
    const known = ours(provisioner);
    return row === undefined || known === undefined ? (row ?? known) : { ...known, ...said(row) };
  };
}

function tableOf(rows: readonly StorageBackend[]): StorageMatrix {
  const exact = new Map(rows.map((row) => [row.provisioner, row]));
  const patterns = rows.filter((row) => row.provisioner.includes('*')); // a few of all, and a claim asks several times
  return (provisioner) =>
    exact.get(provisioner) ?? patterns.find((row) => matchesPattern(row.provisioner, provisioner));
}

function said(row: StorageBackend): Partial<StorageBackend> {
  return Object.fromEntries(Object.entries(row).filter(([, answer]) => answer !== '?'));
}

function matchesPattern(pattern: string, provisioner: string): boolean {
  if (pattern.startsWith('*')) return provisioner.endsWith(pattern.slice(1));
  return pattern.endsWith('*') && provisioner.startsWith(pattern.slice(0, -1));
}

function builtIn(): readonly StorageBackend[] {
  return MATRIX.trim()
    .split('\n')
    .map((line) => {
      const [provisioner = '', rwo, rwop, rox, rwxFilesystem, rwxBlock, pinned, attach] = line.split(/ +/);
      return {
        provisioner,
        rwo: supportFrom(rwo),
        rwop: supportFrom(rwop),
        rox: supportFrom(rox),
        rwxFilesystem: supportFrom(rwxFilesystem),
        rwxBlock: supportFrom(rwxBlock),
        nodePinned: pinned === 'node' || pinned === 'zone' || pinned === 'region' || pinned === 'no' ? pinned : '?',
        attach: supportFrom(attach),
      };
    });
}

function supportFrom(cell: string | undefined): Support {
  return cell === 'yes' || cell === 'no' || cell === 'depends' ? cell : '?';
}
