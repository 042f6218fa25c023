import { type Fact, known, mapFact, unknown } from '../objects/fact.ts';
import { keyOf } from '../objects/object-key.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { Workload } from '../objects/workload.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import type { ClusterFromFile } from './cluster-from-file.ts';
import { wellKnownClass } from './well-known-classes.ts';

/** What the input says of a cluster. Objects that name no namespace are in the namespace ''. */
export interface InputCluster {
  readonly state: ClusterFromFile;
  /** Whether to read more into the input than stands there: a class by its name, a volume by its class. */
  readonly guess: boolean;
}

/**
 * The cluster as a workload of this namespace meets it: objects that name no namespace are in the same one. A claim of a
 * StatefulSet that is not in the input comes from its template, but for the StatefulSet itself nothing is there yet.
 */
export function seenFrom(namespace: string, cluster: InputCluster, statefulSet?: string): ClusterSnapshot {
  const { state, guess } = cluster;
  const templated = (name: string) => claimFromTemplate(namespace, name, cluster, statefulSet);
  const claimAt = (at: string, name: string): PersistentVolumeClaim | undefined => {
    const claim =
      at === namespace ? (claimMet(namespace, name, state) ?? templated(name)) : valueIn(state.claim(at, name));
    return claim !== undefined && guess ? withoutUnseenVolume(claim, state) : claim;
  };
  const homed = (volume: PersistentVolume): PersistentVolume =>
    volume.claimRef?.namespace === '' ? { ...volume, claimRef: { ...volume.claimRef, namespace } } : volume;
  const placed = (workload: Workload): Workload =>
    workload.metadata.namespace === '' ? inNamespace(workload, namespace) : workload;
  return {
    claim: (at, name) => {
      const claim = claimAt(at, name);
      return claim === undefined ? unknown(`claim ${keyOf(at, name)} is not in the input`) : known(claim);
    },
    volume: (name) => mapFact(state.volume(name), (volume) => volume && homed(volume)),
    volumesOnDisk: (disk) => mapFact(state.volumesOnDisk(disk), (volumes) => volumes.map(homed)),
    volumesKeptFor: (at, name) => {
      const unnamed = at === namespace && at !== '' ? (valueIn(state.volumesKeptFor('', name)) ?? []) : [];
      return mapFact(state.volumesKeptFor(at, name), (named) => [...named, ...unnamed].map(homed));
    },
    freeVolumes: (storageClassName) => state.freeVolumes(storageClassName),
    storageClass: (name) =>
      mapFact(state.storageClass(name), (found) => found ?? (guess ? wellKnownClass(name) : undefined)),
    defaultStorageClass: () => state.defaultStorageClass(),
    csiDriver: (name) => state.csiDriver(name),
    runtimeClass: (name) => state.runtimeClass(name),
    namespace: (name) => state.namespace(name),
    nodes: () => state.nodes(),
    workload: (kind, at, name) => state.workload(kind, at, name),
    workloadsMounting: (at, name) => {
      const named = state.workloadsMounting(at, name);
      if (at !== namespace || namespace === '') return named;
      const unnamed = state.workloadsMounting('', name);
      const homed = unnamed.workloads.map((workload) => inNamespace(workload, at));
      return { workloads: [...named.workloads, ...homed], unknown: [...named.unknown, ...unnamed.unknown] };
    },
    workloadsIn: (namespaces) => {
      const where = namespaces !== 'all' && namespaces.includes(namespace) ? [...namespaces, ''] : namespaces;
      return mapFact(state.workloadsIn(where), (workloads) => workloads.map(placed));
    },
    workloadsAvoiding: (at, labels) => {
      const unnamed = at === namespace && at !== '' ? (valueIn(state.workloadsAvoiding('', labels)) ?? []) : [];
      const named = state.workloadsAvoiding(at, labels);
      return mapFact(named, (workloads) => [...new Set([...workloads, ...unnamed])].map(placed));
    },
    workloadsWithDisk: (disk) => mapFact(state.workloadsWithDisk(disk), (workloads) => workloads.map(placed)),
    workloadsOnPort: (port) => mapFact(state.workloadsOnPort(port), (workloads) => workloads.map(placed)),
    autoscalersOf: (kind, at, name) => {
      const unnamed = at === namespace ? (valueIn(state.autoscalersOf(kind, '', name)) ?? []) : [];
      return mapFact(state.autoscalersOf(kind, at, name), (named) => [...named, ...unnamed]);
    },
  };
}

/** The claim that a pod of this namespace mounts by this name. */
function claimMet(namespace: string, name: string, state: ClusterSnapshot): PersistentVolumeClaim | undefined {
  const claim = valueIn(state.claim(namespace, name)) ?? valueIn(state.claim('', name));
  return claim && inNamespace(claim, namespace);
}

function claimFromTemplate(
  namespace: string,
  name: string,
  { state }: InputCluster,
  except: string | undefined,
): PersistentVolumeClaim | undefined {
  const prefix = /^(.+)-\d+$/.exec(name)?.[1] ?? '';
  const template = state.claimTemplate(keyOf(namespace, prefix)) ?? state.claimTemplate(prefix);
  if (template === undefined || template.statefulSet === except) return undefined;
  return { ...template.claim, metadata: { ...template.claim.metadata, namespace, name } };
}

/**
 * The claim without a volume that the input lacks: then the class tells what there is to know, and no other volume
 * does. The modes stay the bound ones.
 */
function withoutUnseenVolume(claim: PersistentVolumeClaim, state: ClusterSnapshot): PersistentVolumeClaim {
  if (claim.volumeName === '' || valueIn(state.volume(claim.volumeName)) !== undefined) return claim;
  const { accessModes, statusAccessModes } = claim;
  return {
    ...claim,
    bound: true,
    volumeName: '',
    accessModes: statusAccessModes.length > 0 ? statusAccessModes : accessModes,
  };
}

export function inNamespace<T extends Workload | PersistentVolumeClaim>(object: T, namespace: string): T {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

function valueIn<T>(fact: Fact<T>): T | undefined {
  return fact.known ? fact.value : undefined;
}

/** The class that a claim without a volume names, where neither the input nor its name tells what it is. */
export function unknownClass(
  { volumeName, storageClassName = '' }: PersistentVolumeClaim,
  snapshot: Pick<ClusterSnapshot, 'storageClass'>,
): string | undefined {
  if (volumeName !== '' || storageClassName === '') return undefined;
  return valueIn(snapshot.storageClass(storageClassName)) === undefined ? storageClassName : undefined;
}

/** What was read into the class's name, in words; nothing where the input has the class, or the volume. */
export function assumedClass({ volumeName, storageClassName = '' }: PersistentVolumeClaim, cluster: InputCluster) {
  const { state, guess } = cluster;
  const isWritten = volumeName !== '' || valueIn(state.storageClass(storageClassName)) !== undefined;
  const found = guess && !isWritten ? wellKnownClass(storageClassName) : undefined;
  return found === undefined ? [] : [`class ${found.name} is taken for ${found.provisioner}`];
}
