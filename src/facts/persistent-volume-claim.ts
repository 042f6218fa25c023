import { type AccessMode, accessModesAt } from './access-mode.ts';
import { type JsonObject, objectAt, stringAt, stringMapAt } from './json.ts';
import { type Metadata, metadataFrom } from './metadata.ts';

export interface PersistentVolumeClaim {
  readonly metadata: Metadata;
  readonly accessModes: readonly AccessMode[];
  /** The bound volume's modes as the claim's status repeats them; empty while unbound. */
  readonly statusAccessModes: readonly AccessMode[];
  readonly volumeMode: 'Filesystem' | 'Block';
  readonly bound: boolean;
  /** Empty while nothing is bound or asked for by name. */
  readonly volumeName: string;
  /** `undefined` asks for the default class, the empty string for none. */
  readonly storageClassName: string | undefined;
}

/** Older than `spec.storageClassName`, and still the stronger of the two (`component-helpers/storage/volume:GetPersistentVolumeClaimClass`). */
const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

export function claimFrom(object: JsonObject): PersistentVolumeClaim {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const annotations = stringMapAt(objectAt(object, 'metadata'), 'annotations');
  return {
    metadata: metadataFrom(object),
    accessModes: accessModesAt(spec, 'accessModes'),
    statusAccessModes: accessModesAt(status, 'accessModes'),
    volumeMode: stringAt(spec, 'volumeMode') === 'Block' ? 'Block' : 'Filesystem',
    bound: stringAt(status, 'phase') === 'Bound',
    volumeName: stringAt(spec, 'volumeName') ?? '',
    storageClassName: annotations.get(BETA_STORAGE_CLASS) ?? stringAt(spec, 'storageClassName'),
  };
}
