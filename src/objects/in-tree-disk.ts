import { type JsonObject, objectAt, stringAt, stringMapAt } from './json.ts';

/** An in-tree volume as the CSI driver that took it over sees it. */
interface MigratedDisk {
  readonly type: 'csi';
  readonly driver: string;
  readonly handle: string;
}

interface MigratedPlugin {
  readonly driver: string;
  /** The handle of a disk, given its in-tree source and the PersistentVolume; there is none around a disk in a pod. */
  readonly handleOf: (disk: JsonObject, volume: JsonObject | undefined) => string;
}

/** `staging/csi-translation-lib/plugins/*.go`: the in-tree field and the driver that took it over. */
const MIGRATED: ReadonlyMap<string, MigratedPlugin> = new Map([
  ['awsElasticBlockStore', { driver: 'ebs.csi.aws.com', handleOf: ebsVolume }],
  ['gcePersistentDisk', { driver: 'pd.csi.storage.gke.io', handleOf: gceDisk }],
  ['azureDisk', { driver: 'disk.csi.azure.com', handleOf: textAt('diskURI') }],
  ['azureFile', { driver: 'file.csi.azure.com', handleOf: azureShare }],
  ['cinder', { driver: 'cinder.csi.openstack.org', handleOf: textAt('volumeID') }],
  ['vsphereVolume', { driver: 'csi.vsphere.vmware.com', handleOf: textAt('volumePath') }],
  ['portworxVolume', { driver: 'pxd.portworx.com', handleOf: textAt('volumeID') }],
]);

/**
 * The disk behind an in-tree source: the spec of a volume, which is given too, or a volume of a pod. `undefined` where
 * the source is none of those.
 */
export function migratedDisk(source: JsonObject | undefined, volume?: JsonObject): MigratedDisk | undefined {
  for (const [field, { driver, handleOf }] of MIGRATED) {
    const disk = objectAt(source, field);
    if (disk !== undefined) return { type: 'csi', driver, handle: handleOf(disk, volume) };
  }
  return undefined;
}

function textAt(field: string): (disk: JsonObject) => string {
  return (disk) => stringAt(disk, field) ?? '';
}

/** `vol-1`, `aws:///vol-1` and `aws://<zone>/vol-1` are one (`aws_ebs.go:KubernetesVolumeIDToEBSVolumeID`). */
function ebsVolume(disk: JsonObject): string {
  const id = stringAt(disk, 'volumeID') ?? '';
  return id.startsWith('aws://') ? (id.split('/').findLast((part) => part !== '') ?? '') : id;
}

/** The older label first, as `gce_pd.go:TranslateInTreePVToCSI` looks for them. */
const GCE_ZONE_LABELS = ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'] as const;

/** A name says which disk it is within a zone, or a region where the volume is in several zones. */
function gceDisk(disk: JsonObject, volume: JsonObject | undefined): string {
  const labels = stringMapAt(objectAt(volume, 'metadata'), 'labels');
  const label = GCE_ZONE_LABELS.map((name) => labels.get(name)).find((zones) => zones !== undefined && zones !== '');
  const [zone = 'UNSPECIFIED', ...more] = label?.split('__') ?? [];
  // `gceGetRegionFromZones`: `us-central1` of `us-central1-a`.
  const place = more.length === 0 ? `zones/${zone}` : `regions/${zone.split('-').slice(0, 2).join('-')}`;
  return `projects/UNSPECIFIED/${place}/disks/${stringAt(disk, 'pdName') ?? ''}`;
}

/** Each volume of a share is another (`azure_file.go:TranslateInTreePVToCSI`); one in a pod is ReadWriteMany, so that nothing asks. */
function azureShare(disk: JsonObject, volume: JsonObject | undefined): string {
  const metadata = objectAt(volume, 'metadata');
  const secret = stringAt(disk, 'secretName') ?? '';
  const account = /azure-storage-account-(.+)-secret/.exec(secret)?.[1] ?? secret;
  const claimRef = objectAt(objectAt(volume, 'spec'), 'claimRef');
  return [
    stringMapAt(metadata, 'annotations').get('kubernetes.io/azure-file-resource-group') ?? '',
    account,
    stringAt(disk, 'shareName') ?? '',
    stringAt(metadata, 'name') ?? '',
    stringAt(disk, 'secretNamespace') ?? stringAt(claimRef, 'namespace') ?? '',
  ].join('#');
}
