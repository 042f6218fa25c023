import { isOnePod } from '../objects/access-mode.ts';
import { type Fact, known, mapFact, unknown } from '../objects/fact.ts';
import { keyOf } from '../objects/object-key.ts';
import { diskOf, nameOfSource, type PersistentVolume, type VolumeSource } from '../objects/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { PodVolume } from '../objects/pod-template.ts';
import { sameJson } from '../objects/same-json.ts';
import type { StorageClass } from '../objects/storage-class.ts';
import { attachableProvisioner, attachableSource } from './attach-required.ts';
import { classByHand, volumesByHandFor, volumesKeptFor } from './binding.ts';
import type { Claim, ClaimRef, Common, Place, Pool, Reading } from './claim.ts';
import { mayTakeOnePod, type StorageMatrix, takesOnePod, topologyOfVolumes } from './storage-backend.ts';

const ANYWHERE = { nodeAffinity: undefined, zones: new Map<string, readonly string[]>(), onceBound: undefined };

export function claimOf(volume: PodVolume, namespace: string, reading: Reading): Claim {
  switch (volume.type) {
    case 'claim':
      return claimByName(namespace, volume.claimName, reading);
    case 'disk':
      return {
        ...ANYWHERE,
        name: volume.volume,
        identity: diskIdentity(volume.source) ?? `volume ${volume.volume}`,
        accessModes: known(volume.accessModes),
        attachable: attachableSource(volume.source, reading),
        onePod: known(false),
        claimsOfDisk: claimsOn(volume.source, [], reading),
      };
    default:
      return volume satisfies never;
  }
}

/** The claim that pods of this namespace mount by this name; all unknown while it is not there. */
export function claimByName(namespace: string, name: string, reading: Reading): Claim {
  const found = reading.snapshot.get('PersistentVolumeClaim', namespace, name);
  if (found.known && found.value !== undefined) return claimFacts(found.value, reading);
  reading.missed({ kind: 'PersistentVolumeClaim', namespace, name });
  const missing = found.known ? unknown(`claim ${keyOf(namespace, name)} does not exist yet`) : found;
  return {
    ...ANYWHERE,
    name,
    identity: identityOf(namespace, name),
    accessModes: missing,
    attachable: missing,
    onePod: missing,
    claimsOfDisk: [{ namespace, name }],
  };
}

function identityOf(namespace: string, claimName: string): string {
  return `claim ${keyOf(namespace, claimName)}`;
}

function diskIdentity(source: VolumeSource): string | undefined {
  const disk = diskOf(source);
  return disk === undefined ? undefined : `disk ${disk}`;
}

/** Everything that a claim's volume, class and driver say of it. */
export function claimFacts(claim: PersistentVolumeClaim, reading: Reading): Claim {
  const facts = volumeFacts(claim, reading);
  return claim.metadata.deleting ? { ...facts, deleting: true } : facts;
}

function volumeFacts(claim: PersistentVolumeClaim, reading: Reading): Claim {
  if (claim.volumeName !== '') return boundClaim(claim, reading);
  const [kept, ...more] = volumesKeptFor(claim, reading.snapshot);
  if (kept === undefined) return unboundClaim(claim, reading);
  return more.length === 0 ? claimOn(kept, claim, reading) : claimOnOneOf([kept, ...more], claim, reading);
}

function boundClaim(claim: PersistentVolumeClaim, reading: Reading): Claim {
  const { namespace, name } = claim.metadata;
  const found = volumeOf(claim, reading);
  if (!found.known) {
    const modes = claim.statusAccessModes.length > 0 ? claim.statusAccessModes : claim.accessModes;
    return {
      ...ANYWHERE,
      name,
      identity: identityOf(namespace, name),
      accessModes: known(modes),
      attachable: found,
      onePod: known(isOnePod(claim.accessModes)),
      claimsOfDisk: [{ namespace, name }],
    };
  }
  return claimOn(found.value, claim, reading);
}

/** The claim on the volume that it has, or that is kept for it. */
function claimOn(volume: PersistentVolume, claim: PersistentVolumeClaim, reading: Reading): Claim {
  const { namespace, name } = claim.metadata;
  const disk = diskOf(volume.source);
  return {
    name,
    identity: disk === undefined ? identityOf(namespace, name) : `disk ${disk}`,
    accessModes: known(volume.accessModes),
    attachable: attachableSource(volume.source, reading),
    onePod: takesOnePodAt(volume.source.type === 'csi' ? volume.source.driver : '', claim, reading),
    nodeAffinity: volume.nodeAffinity,
    zones: volume.zones,
    onceBound: undefined,
    storage: nameOfSource(volume.source),
    disk,
    claimsOfDisk: claimsOn(volume.source, [{ namespace, name }], reading),
  };
}

/** The claims in `known`, and whatever other claims have a volume on the same disk. */
function claimsOn(source: VolumeSource, known: readonly ClaimRef[], { snapshot }: Reading): readonly ClaimRef[] {
  const disk = diskOf(source);
  if (disk === undefined) return known;
  const volumes = snapshot.volumesOnDisk(disk);
  const refs = volumes.known ? volumes.value.flatMap(({ claimRef }) => claimRef ?? []) : [];
  const isNew = (ref: ClaimRef): boolean =>
    !known.some(({ namespace, name }) => namespace === ref.namespace && name === ref.name);
  return [...known, ...refs.filter(isNew)];
}

/** The volume behind a claim; a volume that is kept for another claim is not it. */
function volumeOf(claim: PersistentVolumeClaim, reading: Reading): Fact<PersistentVolume> {
  const found = reading.snapshot.get('PersistentVolume', '', claim.volumeName);
  if (!found.known || found.value === undefined) {
    reading.missed({ kind: 'PersistentVolume', namespace: '', name: claim.volumeName });
    return found.known ? unknown(`volume ${claim.volumeName} does not exist yet`) : found;
  }
  const { claimRef } = found.value;
  const { namespace, name } = claim.metadata;
  if (claimRef === undefined || (claimRef.namespace === namespace && claimRef.name === name)) return known(found.value);
  return unknown(`volume ${claim.volumeName} is kept for claim ${keyOf(claimRef.namespace, claimRef.name)}`);
}

function unboundClaim(claim: PersistentVolumeClaim, reading: Reading): Claim {
  const storageClass = storageClassOf(claim, reading);
  const { volumes, common } = poolFor(claim, storageClass, reading);
  const waitsForPod = !claim.bound && storageClass.known && storageClass.value.waitsForPod;
  const provisioned = { ...provisionedClaim(claim, storageClass, reading), waitsForPod };
  if (!volumes.known) return { ...provisioned, attachable: volumes };
  return common === undefined ? provisioned : { ...onOneOf(common, claim), waitsForPod };
}

function poolFor(claim: PersistentVolumeClaim, storageClass: Fact<StorageClass>, reading: Reading): Pool {
  if (classByHand(claim, storageClass, reading.snapshot) === undefined) return NO_VOLUMES;
  const { storageClassName, accessModes, volumeMode, storage, selector, bound } = claim;
  reading.budget.spend(1 + (selector?.length ?? 0));
  const key = JSON.stringify([storageClassName ?? null, accessModes, volumeMode, storage, selector, bound]);
  const known = reading.pools.get(key);
  if (known !== undefined) return known;
  reading.budget.spend(OPERATIONS_OF_A_POOL * (1 + (selector?.length ?? 0)));
  const volumes = volumesByHandFor(claim, storageClass, reading.snapshot);
  const isEmpty = !volumes.known || volumes.value.length === 0;
  const pool = { volumes, common: isEmpty ? undefined : commonOf(volumes.value, claim, reading) };
  reading.pools.set(key, pool);
  return pool;
}

const NO_VOLUMES: Pool = { volumes: known([]), common: undefined };

/** What reading a pool takes: its volumes are many, and some facts of each are looked at. */
const OPERATIONS_OF_A_POOL = 256;

/**
 * The claim on whichever of these volumes it gets: what they agree on, and where each can be used. That the only one is
 * this claim's is not said: another may be faster.
 */
function claimOnOneOf(volumes: readonly PersistentVolume[], claim: PersistentVolumeClaim, reading: Reading): Claim {
  return onOneOf(commonOf(volumes, claim, reading), claim);
}

function commonOf(volumes: readonly PersistentVolume[], claim: PersistentVolumeClaim, reading: Reading): Common {
  const each = volumes.map((volume) => claimOn(volume, claim, reading));
  return {
    ...placeOfOne(each),
    accessModes: agreed(each.map(({ accessModes }) => mapFact(accessModes, (modes) => modes.toSorted()))),
    attachable: agreed(each.map(({ attachable }) => attachable)),
    onePod: agreed(each.map(({ onePod }) => onePod)),
  };
}

function onOneOf(common: Common, { metadata }: PersistentVolumeClaim): Claim {
  const { namespace, name } = metadata;
  const open = unknown(`the volumes that claim ${keyOf(namespace, name)} may get differ`);
  return {
    ...common,
    name,
    identity: identityOf(namespace, name),
    accessModes: common.accessModes ?? open,
    attachable: common.attachable ?? open,
    onePod: common.onePod ?? open,
    claimsOfDisk: [metadata],
  };
}

/** A text that is the same for places that are alike. */
export function placeKey({ nodeAffinity, zones }: Place): string {
  return JSON.stringify([nodeAffinity, ...zones]);
}

/** The place of any of them that are alike, or one of several, each of which is where one of their terms holds. */
function placeOfOne(volumes: readonly Place[]): Place & Pick<Claim, 'onceBound'> {
  const byPlace = new Map(
    volumes.map(({ nodeAffinity, zones }) => [placeKey({ nodeAffinity, zones }), { nodeAffinity, zones }]),
  );
  const [place = ANYWHERE, ...others] = byPlace.values();
  if (others.length === 0) return { ...ANYWHERE, ...place };
  const terms = volumes.map(({ nodeAffinity }) => nodeAffinity);
  const nodeAffinity = terms.every((choice) => choice !== undefined) ? terms.flat() : undefined;
  return { ...ANYWHERE, nodeAffinity, onceBound: { type: 'place', places: [...byPlace.values()] } };
}

/** What all say, or why that is open; `undefined` where they differ. */
function agreed<T>(facts: readonly Fact<T>[]): Fact<T> | undefined {
  const [first] = facts;
  return facts.find((fact) => !fact.known) ?? (facts.every((fact) => sameJson(fact, first)) ? first : undefined);
}

/** What the class says of the volume that will be made for the claim. */
function provisionedClaim(claim: PersistentVolumeClaim, storageClass: Fact<StorageClass>, reading: Reading): Claim {
  const provisioner = storageClass.known ? storageClass.value.provisioner : '';
  return {
    ...ANYWHERE,
    name: claim.metadata.name,
    identity: identityOf(claim.metadata.namespace, claim.metadata.name),
    accessModes: known(claim.accessModes),
    attachable: storageClass.known ? attachableProvisioner(storageClass.value, reading) : storageClass,
    onePod: takesOnePodAt(provisioner, claim, reading),
    ...(storageClass.known && placeOfClass(storageClass.value, reading.matrix)),
    madeBy: [claim.storageClassName ?? '', provisioner].filter((name) => name !== ''),
    claimsOfDisk: [claim.metadata],
  };
}

/** Where volumes of the class are made (`scheduler/framework/plugins/volumebinding/binder.go:checkVolumeProvisions`), and stay. */
function placeOfClass(storageClass: StorageClass, matrix: StorageMatrix): Pick<Claim, 'nodeAffinity' | 'onceBound'> {
  const topology = topologyOfVolumes(storageClass, matrix);
  return {
    nodeAffinity: storageClass.allowedTopologies,
    onceBound: topology === undefined ? undefined : { type: 'domain', topology },
  };
}

/** Asks for the class only where the driver makes it matter: many bound claims name a class that does not exist. */
function takesOnePodAt(driver: string, claim: PersistentVolumeClaim, reading: Reading): Fact<boolean> {
  if (isOnePod(claim.accessModes)) return known(true);
  return mayTakeOnePod(driver) ? mapFact(storageClassOf(claim, reading), takesOnePod) : known(false);
}

/** The class that provisions the claim; unknown where it asks for none, as a volume made by hand may be anything. */
export function storageClassOf(claim: PersistentVolumeClaim, reading: Reading): Fact<StorageClass> {
  const { snapshot, missed } = reading;
  const subject = `claim ${keyOf(claim.metadata.namespace, claim.metadata.name)}`;
  const name = claim.storageClassName;
  if (name === '') return unknown(`${subject} asks for no storage class`);
  const found = name === undefined ? snapshot.defaultStorageClass() : snapshot.get('StorageClass', '', name);
  if (found.known && found.value !== undefined) return known(found.value);
  if (name === undefined)
    return found.known ? unknown(`${subject} names no storage class and there is no default`) : found;
  missed({ kind: 'StorageClass', namespace: '', name });
  return found.known ? unknown(`storage class ${name} of ${subject} does not exist`) : found;
}
