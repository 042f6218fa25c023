import type { V1CSIDriver, V1PersistentVolumeSpec, V1Volume } from '@kubernetes/client-node';
import { containerOf, type Draft, HOSTNAME, homeOf, nameOf, type Template, templatesOf } from './draft.ts';
import type { StorageName } from './plan.ts';

/** Named as the translation wants it (`csi-translation-lib/plugins/azure_file.go:getStorageAccountName`). */
const AZURE_SECRET = 'azure-storage-account-oracle-secret';

interface VolumeForm {
  readonly source: Partial<V1PersistentVolumeSpec>;
  readonly modes: readonly string[];
  /** What the claim asks for, where that is less than the volume can. */
  readonly asked?: readonly string[];
}

const RWO = ['ReadWriteOnce'];

/** Adds the volume, its claim and its driver to the cluster, and mounts it in both templates. */
export function addStorage(draft: Draft, storage: StorageName, suffix = 'data'): void {
  const inline = inlineVolume(storage, diskName(draft, suffix));
  if (inline !== undefined) {
    addDriver(draft, storage);
    for (const template of templatesOf(draft)) mount(template, { name: suffix, ...inline });
    return;
  }
  addClaim(draft, storage, suffix);
  for (const template of templatesOf(draft)) mountClaim(template, suffix);
}

/** A claim and its volume that nothing mounts yet; the disk may be that of another volume. */
export function addClaim(draft: Draft, storage: StorageName, suffix: string, disk = diskName(draft, suffix)): void {
  const { source, modes, asked } = formOf(storage, draft, disk);
  const name = `${nameOf(draft.plan)}-${suffix}`;
  addDriver(draft, storage);
  draft.volumes.push({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: [...modes],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: nameOf(draft.plan),
      ...source,
    },
  });
  draft.claims.push({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: suffix, namespace: draft.namespace },
    spec: {
      accessModes: [...(asked ?? modes)],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: nameOf(draft.plan),
      volumeName: name,
    },
  });
}

export function mountClaim(template: Template, claimName: string): void {
  mount(template, { name: claimName, persistentVolumeClaim: { claimName } });
}

export function mount(template: Template, volume: V1Volume): void {
  template.spec.volumes?.push(volume);
  const container = containerOf(template);
  container.volumeMounts = [...(container.volumeMounts ?? []), { name: volume.name, mountPath: `/${volume.name}` }];
}

export function driverNameOf(draft: Draft): string {
  return `${nameOf(draft.plan)}.csi.example.com`;
}

/** A disk's name that no other scenario uses: two volumes of one name are one volume. */
export function diskName(draft: Draft, suffix: string): string {
  return `${nameOf(draft.plan)}-${suffix}`;
}

/** All scenarios have this one together: migration leads to it, whatever a scenario would call its own. */
const AZURE_FILE: V1CSIDriver = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'file.csi.azure.com' },
  spec: { attachRequired: false },
};

/**
 * Every other driver of a scenario is its own, so that `attachRequired` is too; of the migrated ones only files have an
 * object.
 */
function addDriver(draft: Draft, storage: StorageName): void {
  if (storage === 'migrated-azure-file' || storage === 'inline-azure-file') draft.drivers.push(AZURE_FILE);
  if (!storage.startsWith('csi') || storage === 'csi-without-driver-object') return;
  const name = storage === 'csi-no-attach' ? `no-attach.${driverNameOf(draft)}` : driverNameOf(draft);
  if (draft.drivers.some(({ metadata }) => metadata?.name === name)) return;
  draft.drivers.push({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name },
    spec: { attachRequired: storage !== 'csi-no-attach' },
  });
}

function formOf(storage: StorageName, draft: Draft, disk: string): VolumeForm {
  const csi = { csi: { driver: driverNameOf(draft), volumeHandle: disk } };
  switch (storage) {
    case 'csi':
      return { source: csi, modes: RWO };
    case 'csi-without-driver-object':
      return { source: { csi: { driver: `unknown.${driverNameOf(draft)}`, volumeHandle: disk } }, modes: RWO };
    case 'csi-rwx':
      return { source: csi, modes: ['ReadWriteMany'] };
    case 'csi-rox':
      return { source: csi, modes: ['ReadOnlyMany'] };
    case 'csi-rwop':
      return { source: csi, modes: ['ReadWriteOncePod'] };
    case 'csi-superset':
      return { source: csi, modes: ['ReadWriteOnce', 'ReadWriteMany'], asked: RWO };
    case 'csi-rwo-rox':
      return { source: csi, modes: ['ReadWriteOnce', 'ReadOnlyMany'], asked: RWO };
    case 'csi-no-attach':
      return { source: { csi: { driver: `no-attach.${driverNameOf(draft)}`, volumeHandle: disk } }, modes: RWO };
    case 'fc':
      return { source: { fc: { wwids: [disk] } }, modes: RWO };
    case 'iscsi':
      return { source: { iscsi: { targetPortal: '10.0.0.1:3260', iqn: iqnOf(disk), lun: 0 } }, modes: RWO };
    case 'local':
      return { source: { local: { path: '/disks/1' }, nodeAffinity: onNode(draft) }, modes: RWO };
    case 'nfs':
      return { source: { nfs: { server: 'nfs.example.com', path: `/${disk}` } }, modes: RWO };
    case 'host-path':
      return { source: { hostPath: { path: `/srv/${disk}` } }, modes: RWO };
    default:
      return { source: migratedSource(storage, disk), modes: storage === 'migrated-gce-rwx' ? ['ReadWriteMany'] : RWO };
  }
}

function migratedSource(storage: StorageName, disk: string): Partial<V1PersistentVolumeSpec> {
  switch (storage) {
    case 'migrated-aws':
      return { awsElasticBlockStore: { volumeID: `vol-${disk}` } };
    case 'migrated-gce':
    case 'migrated-gce-rwx':
      return { gcePersistentDisk: { pdName: disk } };
    case 'migrated-azure':
      return { azureDisk: { diskName: disk, diskURI: azureUri(disk), kind: 'Managed' } };
    case 'migrated-azure-file':
      return { azureFile: { secretName: AZURE_SECRET, secretNamespace: 'default', shareName: disk } };
    case 'migrated-cinder':
      return { cinder: { volumeID: disk } };
    case 'migrated-vsphere':
      return { vsphereVolume: { volumePath: `[store] ${disk}` } };
    case 'migrated-portworx':
      return { portworxVolume: { volumeID: disk } };
    default:
      throw new Error(`${storage} is not written into a PersistentVolume`);
  }
}

function inlineVolume(storage: StorageName, disk: string): Omit<V1Volume, 'name'> | undefined {
  switch (storage) {
    case 'inline-aws':
      return { awsElasticBlockStore: { volumeID: `vol-${disk}` } };
    case 'inline-gce':
      return { gcePersistentDisk: { pdName: disk } };
    case 'inline-gce-read-only':
      return { gcePersistentDisk: { pdName: disk, readOnly: true } };
    case 'inline-azure':
      return { azureDisk: { diskName: disk, diskURI: azureUri(disk), kind: 'Managed' } };
    case 'inline-azure-file':
      return { azureFile: { secretName: AZURE_SECRET, shareName: disk } };
    case 'inline-cinder':
      return { cinder: { volumeID: disk } };
    case 'inline-vsphere':
      return { vsphereVolume: { volumePath: `[store] ${disk}` } };
    case 'inline-portworx':
      return { portworxVolume: { volumeID: disk } };
    default:
      return undefined;
  }
}

export function onNode(draft: Draft): NonNullable<V1PersistentVolumeSpec['nodeAffinity']> {
  const values = [homeOf(draft).metadata?.name ?? ''];
  return { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values }] }] } };
}

export function iqnOf(disk: string): string {
  return `iqn.2001-04.com.example:${disk}`;
}

function azureUri(disk: string): string {
  return `/subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/disks/${disk}`;
}
