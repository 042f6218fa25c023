import { type Fact, known, mapFact } from '../objects/fact.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import { matchesSelector } from '../objects/selector.ts';
import type { StorageClass } from '../objects/storage-class.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';

/** Volumes for this provisioner name are made by hand, of any type. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/**
 * Volumes that are kept for the claim. It gets one of these before any other, whatever its class and labels
 * (`component-helpers/storage/volume/pv_helpers.go:FindMatchingVolume`).
 */
export function volumesKeptFor(claim: PersistentVolumeClaim, snapshot: ClusterSnapshot): readonly PersistentVolume[] {
  if (claim.bound) return [];
  const { namespace, name } = claim.metadata;
  const kept = snapshot.volumesKeptFor(namespace, name);
  return kept.known ? kept.value.filter((volume) => fits(claim, volume)) : [];
}

/** Free volumes of which the claim gets one because nobody provisions its class; none where somebody does. */
export function volumesByHandFor(
  claim: PersistentVolumeClaim,
  storageClass: Fact<StorageClass>,
  snapshot: ClusterSnapshot,
): Fact<readonly PersistentVolume[]> {
  const className = claim.bound ? undefined : classByHand(claim, storageClass, snapshot);
  if (className === undefined) return known([]);
  return mapFact(snapshot.freeVolumes(className), (free) =>
    free.filter((volume) => fits(claim, volume) && matchesSelector(claim.selector ?? [], volume.offer?.labels ?? NONE)),
  );
}

/** The class that has only volumes made by hand: none at all, one that does not exist, or one without a provisioner. */
function classByHand(
  { storageClassName: name }: PersistentVolumeClaim,
  storageClass: Fact<StorageClass>,
  snapshot: ClusterSnapshot,
): string | undefined {
  if (storageClass.known) {
    return storageClass.value.provisioner === NO_PROVISIONER ? storageClass.value.name : undefined;
  }
  return name === undefined || name === '' || snapshot.storageClass(name).known ? name : undefined;
}

/** The same function: what every volume has to have for the claim. A size that cannot be read keeps none away. */
function fits(claim: PersistentVolumeClaim, { accessModes, offer }: PersistentVolume): boolean {
  if (offer === undefined || offer.volumeMode !== claim.volumeMode) return false;
  if ((offer.storage ?? Number.POSITIVE_INFINITY) < (claim.storage ?? 0)) return false;
  return claim.accessModes.every((mode) => accessModes.includes(mode));
}

const NONE: ReadonlyMap<string, string> = new Map();
