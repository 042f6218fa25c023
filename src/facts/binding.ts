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
  const className = classByHand(claim, storageClass, snapshot);
  if (className === undefined) return known([]);
  const waitsForPod = storageClass.known && storageClass.value.waitsForPod;
  return mapFact(snapshot.freeVolumes(className), (free) => {
    const fitting = free.filter(
      (volume) => fits(claim, volume) && matchesSelector(claim.selector ?? [], volume.offer?.labels ?? NONE),
    );
    return waitsForPod ? smallestAnywhere(fitting) : smallestOfFewestModes(fitting);
  });
}

/**
 * What is left of volumes where the claim gets one before any pod comes: of those with the fewest modes the smallest
 * (`pkg/controller/volume/persistentvolume/index.go:findByClaim`).
 */
function smallestOfFewestModes(volumes: readonly PersistentVolume[]): readonly PersistentVolume[] {
  const fewest = Math.min(...volumes.map(({ accessModes }) => accessModes.length));
  const closest = volumes.filter(({ accessModes }) => accessModes.length === fewest);
  const smallest = Math.min(...closest.map(({ offer }) => offer?.storage ?? Number.POSITIVE_INFINITY));
  return closest.filter((volume) => sizeOf(volume) <= smallest);
}

/**
 * The same where the scheduler takes the smallest that the node of the first pod can use
 * (`component-helpers/storage/volume/pv_helpers.go:FindMatchingVolume`): without those for which there is a smaller one
 * wherever they can be used.
 */
function smallestAnywhere(volumes: readonly PersistentVolume[]): readonly PersistentVolume[] {
  const smallest = new Map<string, number>();
  for (const volume of volumes) {
    const place = placeOf(volume);
    const size = volume.offer?.storage ?? Number.POSITIVE_INFINITY;
    smallest.set(place, Math.min(size, smallest.get(place) ?? Number.POSITIVE_INFINITY));
  }
  const most = (place: string): number => smallest.get(place) ?? Number.POSITIVE_INFINITY;
  return volumes.filter((volume) => sizeOf(volume) <= Math.min(most(ANYWHERE), most(placeOf(volume))));
}

const ANYWHERE = '';

function placeOf({ nodeAffinity }: PersistentVolume): string {
  return nodeAffinity === undefined ? ANYWHERE : JSON.stringify(nodeAffinity);
}

/** One that nobody can read is as small as any. */
function sizeOf({ offer }: PersistentVolume): number {
  return offer?.storage ?? 0;
}

/**
 * The class that has only volumes made by hand, of which the claim gets one: none at all, one that does not exist, or one
 * without a provisioner.
 */
export function classByHand(
  { storageClassName: name, bound }: PersistentVolumeClaim,
  storageClass: Fact<StorageClass>,
  snapshot: ClusterSnapshot,
): string | undefined {
  if (bound) return undefined;
  if (storageClass.known) {
    return storageClass.value.provisioner === NO_PROVISIONER ? storageClass.value.name : undefined;
  }
  return name === undefined || name === '' || snapshot.get('StorageClass', '', name).known ? name : undefined;
}

/** Whether the volume has all that the claim needs of any (`FindMatchingVolume`). A size that cannot be read fits. */
function fits(claim: PersistentVolumeClaim, { accessModes, offer }: PersistentVolume): boolean {
  if (offer === undefined || offer.volumeMode !== claim.volumeMode) return false;
  if ((offer.storage ?? Number.POSITIVE_INFINITY) < (claim.storage ?? 0)) return false;
  return claim.accessModes.every((mode) => accessModes.includes(mode));
}

const NONE: ReadonlyMap<string, string> = new Map();
