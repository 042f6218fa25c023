import type { AccessMode } from '../objects/access-mode.ts';
import type { StorageClass } from '../objects/storage-class.ts';
import { driverOf, type StorageBackend, type Support, supportOf } from './storage-backend.ts';

/** A parameter of a class, in lower case, and the values that say in which way nodes can share its volumes. */
interface Sharing {
  readonly parameter: string;
  readonly value: RegExp;
  readonly volumeMode: 'Filesystem' | 'Block';
}

const NETWORK_FILE_SYSTEM = /^(?:nfs(?:v?[34](?:\.\d)?)?|cifs|smb[23]?)$/i;

/** Whoever makes the volumes: the first is handed to every CSI driver (`external-provisioner/pkg/controller:prefixedFsTypeKey`). */
const OF_ANY: readonly Sharing[] = [
  { parameter: 'csi.storage.k8s.io/fstype', value: NETWORK_FILE_SYSTEM, volumeMode: 'Filesystem' },
  { parameter: 'fstype', value: NETWORK_FILE_SYSTEM, volumeMode: 'Filesystem' },
  { parameter: 'multiattach', value: /^true$/i, volumeMode: 'Block' },
];

/** Parameters that particular drivers read. The driver's row in the storage matrix names the source of each. */
const OF_DRIVER: ReadonlyMap<string, readonly Sharing[]> = new Map<string, readonly Sharing[]>([
  ['ebs.csi.aws.com', [{ parameter: 'type', value: /^io2$/i, volumeMode: 'Block' }]],
  ['disk.csi.azure.com', [{ parameter: 'maxshares', value: /^(?:[2-9]|[1-9]\d+)$/, volumeMode: 'Block' }]],
  ['driver.longhorn.io', [{ parameter: 'migratable', value: /^true$/i, volumeMode: 'Block' }]],
  ['csi.san.synology.com', [{ parameter: 'protocol', value: /^(?:nfs|smb)$/i, volumeMode: 'Filesystem' }]],
  ['block.csi.vultr.com', [{ parameter: 'storage_type', value: /^vfs$/i, volumeMode: 'Filesystem' }]],
  ['csi.hpe.com', [{ parameter: 'nfsresources', value: /^true$/i, volumeMode: 'Filesystem' }]],
  ['csi-unity.dellemc.com', [{ parameter: 'protocol', value: /^nfs$/i, volumeMode: 'Filesystem' }]],
  [
    'csi.trident.netapp.io',
    [
      {
        parameter: 'backendtype',
        value: /^(?:ontap-nas|azure-netapp-files|google-cloud-netapp-)/i,
        volumeMode: 'Filesystem',
      },
      { parameter: 'backendtype', value: /-san/i, volumeMode: 'Block' },
    ],
  ],
  [
    'pxd.portworx.com',
    [
      { parameter: 'sharedv4', value: /^true$/i, volumeMode: 'Filesystem' },
      { parameter: 'backend', value: /^pure_(?:fa_)?file$/i, volumeMode: 'Filesystem' },
    ],
  ],
]);

/** What the provisioner of a class says to a mode; what depends is settled where the class's parameters say that nodes share its volumes. */
export function supportByClass(
  { provisioner, parameters }: StorageClass,
  backend: StorageBackend,
  mode: AccessMode,
  volumeMode: Sharing['volumeMode'],
): Support {
  const answer = supportOf(backend, mode, volumeMode);
  if (answer !== 'depends' || (mode !== 'ReadWriteMany' && mode !== 'ReadOnlyMany')) return answer;
  const sharings = [...OF_ANY, ...(OF_DRIVER.get(driverOf(provisioner)) ?? [])];
  const isShared = [...parameters].some(([name, value]) =>
    sharings.some(
      (one) => one.volumeMode === volumeMode && one.parameter === name.toLowerCase() && one.value.test(value),
    ),
  );
  return isShared ? 'yes' : answer;
}
