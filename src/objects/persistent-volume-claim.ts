import { type AccessMode, accessModesAt, type VolumeMode, volumeModeAt } from './access-mode.ts';
import { type JsonObject, nameAt, objectAt, stringAt } from './json.ts';
import { type Metadata, metadataFrom } from './metadata.ts';
import { quantityAt } from './quantity.ts';
import { type LabelSelector, labelSelectorAt } from './selector.ts';
import { storageClassNameOf } from './storage-class.ts';

export interface PersistentVolumeClaim {
  readonly metadata: Metadata;
  readonly accessModes: readonly AccessMode[];
  /** The bound volume's modes as the claim's status repeats them; empty while unbound. */
  readonly statusAccessModes: readonly AccessMode[];
  readonly volumeMode: VolumeMode;
  readonly bound: boolean;
  /** Empty while nothing is bound or asked for by name. */
  readonly volumeName: string;
  /** `undefined` asks for the default class, the empty string for none. */
  readonly storageClassName: string | undefined;
  /** The least that a volume has to hold, in bytes; `undefined` where nothing readable is asked for. */
  readonly storage: number | undefined;
  /** What the labels of a volume made by hand have to match; `undefined` takes any. */
  readonly selector: LabelSelector | undefined;
}

export function claimFrom(object: JsonObject): PersistentVolumeClaim {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  return {
    metadata: metadataFrom(object),
    accessModes: accessModesAt(spec, 'accessModes'),
    statusAccessModes: accessModesAt(status, 'accessModes'),
    volumeMode: volumeModeAt(spec),
    bound: stringAt(status, 'phase') === 'Bound',
    volumeName: nameAt(spec, 'volumeName') ?? '',
    storageClassName: storageClassNameOf(object),
    storage: quantityAt(objectAt(objectAt(spec, 'resources'), 'requests'), 'storage'),
    selector: labelSelectorAt(spec, 'selector'),
  };
}
