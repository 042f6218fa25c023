import { type JsonObject, objectAt, stringAt, stringsAt } from './json.ts';
import { metadataFrom } from './metadata.ts';
import { type PersistentVolume, volumeFrom } from './persistent-volume.ts';
import { claimFrom, type PersistentVolumeClaim } from './persistent-volume-claim.ts';

/** A claim with what tells how far it has come, and that it is going. */
export interface ClaimStatus extends PersistentVolumeClaim {
  readonly resourceVersion: string;
  /** `Pending`, `Bound` or `Lost`. */
  readonly phase: string;
  /** When its deletion was asked for; present only while it is being deleted. */
  readonly deletingSince: string | undefined;
  readonly finalizers: readonly string[];
}

export function claimStatusFrom(object: JsonObject): ClaimStatus {
  const metadata = objectAt(object, 'metadata');
  return {
    ...claimFrom(object),
    resourceVersion: stringAt(metadata, 'resourceVersion') ?? '',
    phase: stringAt(objectAt(object, 'status'), 'phase') ?? 'Pending',
    deletingSince: stringAt(metadata, 'deletionTimestamp'),
    finalizers: stringsAt(metadata, 'finalizers'),
  };
}

/** A volume with what becomes of it once its claim has gone. */
export interface VolumeStatus extends PersistentVolume {
  readonly phase: string;
  /** `Delete` or `Retain`. */
  readonly reclaimPolicy: string;
  readonly deleting: boolean;
}

export function volumeStatusFrom(object: JsonObject): VolumeStatus {
  return {
    ...volumeFrom(object),
    phase: stringAt(objectAt(object, 'status'), 'phase') ?? '',
    reclaimPolicy: stringAt(objectAt(object, 'spec'), 'persistentVolumeReclaimPolicy') ?? 'Retain',
    deleting: metadataFrom(object).deleting,
  };
}
