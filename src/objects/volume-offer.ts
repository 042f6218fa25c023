import { type VolumeMode, volumeModeAt } from './access-mode.ts';
import { type JsonObject, objectAt, stringAt, stringMapAt } from './json.ts';
import { quantityAt } from './quantity.ts';
import { storageClassNameOf } from './storage-class.ts';

/** What a volume that is not bound has for the claim that gets it. */
export interface VolumeOffer {
  /** The name of its class; empty where it has none. */
  readonly storageClassName: string;
  readonly volumeMode: VolumeMode;
  /** The capacity in bytes; `undefined` where it cannot be read. */
  readonly storage: number | undefined;
  readonly labels: ReadonlyMap<string, string>;
}

/** Phases of volumes that claims get: not Bound, Released or Failed. One without a phase is a manifest, or new. */
const PHASES_BEFORE_BOUND: ReadonlySet<string> = new Set(['', 'Pending', 'Available']);

/** `undefined` for a volume that is bound, released or being deleted. */
export function volumeOfferFrom(volume: JsonObject): VolumeOffer | undefined {
  const [metadata, spec] = [objectAt(volume, 'metadata'), objectAt(volume, 'spec')];
  const phase = stringAt(objectAt(volume, 'status'), 'phase') ?? '';
  if (!PHASES_BEFORE_BOUND.has(phase) || stringAt(metadata, 'deletionTimestamp') !== undefined) return undefined;
  return {
    storageClassName: storageClassNameOf(volume) ?? '',
    volumeMode: volumeModeAt(spec),
    storage: quantityAt(objectAt(spec, 'capacity'), 'storage'),
    labels: stringMapAt(metadata, 'labels'),
  };
}
