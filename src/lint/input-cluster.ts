import { type Fact, known, mapFact, unknown } from '../objects/fact.ts';
import type { Autoscaler } from '../objects/horizontal-pod-autoscaler.ts';
import type { Kind, WorkloadKind } from '../objects/kinds.ts';
import { keyOf } from '../objects/object-key.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { ObjectsByKind } from '../objects/read-object.ts';
import type { Workload } from '../objects/workload.ts';
import { SnapshotLayer } from '../snapshot/layered-snapshot.ts';
import type { ClusterSnapshot, UsersOfClaim } from '../snapshot/snapshot.ts';
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
  return new SeenFrom(namespace, cluster, statefulSet);
}

/** How objects of some kinds are looked up. */
type NamedLookUps = { readonly [K in Kind]?: (namespace: string, name: string) => Fact<ObjectsByKind[K] | undefined> };

class SeenFrom extends SnapshotLayer {
  readonly #namespace: string;
  readonly #lookUps: NamedLookUps;

  constructor(namespace: string, cluster: InputCluster, statefulSet: string | undefined) {
    const { state, guess } = cluster;
    super(state);
    this.#namespace = namespace;
    const claimAt = (at: string, name: string): PersistentVolumeClaim | undefined =>
      at === namespace
        ? (claimMet(namespace, name, state) ?? claimFromTemplate(namespace, name, cluster, statefulSet))
        : valueIn(state.get('PersistentVolumeClaim', at, name));
    this.#lookUps = {
      PersistentVolumeClaim: (at, name) => {
        const claim = claimAt(at, name);
        if (claim === undefined) return unknown(`claim ${keyOf(at, name)} is not in the input`);
        return known(guess ? withoutUnseenVolume(claim, state) : claim);
      },
      PersistentVolume: (_, name) =>
        mapFact(state.get('PersistentVolume', '', name), (volume) => volume && this.#volumeHere(volume)),
      StorageClass: (_, name) =>
        mapFact(state.get('StorageClass', '', name), (found) => found ?? (guess ? wellKnownClass(name) : undefined)),
    };
  }

  override get<K extends Kind>(kind: K, namespace: string, name: string): Fact<ObjectsByKind[K] | undefined> {
    const lookUp = this.#lookUps[kind];
    return lookUp === undefined ? super.get(kind, namespace, name) : lookUp(namespace, name);
  }

  override volumesOnDisk(disk: string): Fact<readonly PersistentVolume[]> {
    return this.#volumesHere(super.volumesOnDisk(disk));
  }

  override volumesKeptFor(namespace: string, claim: string): Fact<readonly PersistentVolume[]> {
    const unnamed = this.#isHere(namespace) ? (valueIn(super.volumesKeptFor('', claim)) ?? []) : [];
    return this.#volumesHere(mapFact(super.volumesKeptFor(namespace, claim), (named) => [...named, ...unnamed]));
  }

  override workloadsMounting(namespace: string, claim: string): UsersOfClaim {
    const named = super.workloadsMounting(namespace, claim);
    if (!this.#isHere(namespace)) return named;
    const unnamed = super.workloadsMounting('', claim);
    const here = unnamed.workloads.map((workload) => inNamespace(workload, namespace));
    return { workloads: [...named.workloads, ...here], unknown: [...named.unknown, ...unnamed.unknown] };
  }

  override workloadsIn(namespaces: readonly string[] | 'all'): Fact<readonly Workload[]> {
    const where = namespaces !== 'all' && namespaces.includes(this.#namespace) ? [...namespaces, ''] : namespaces;
    return this.#workloadsHere(super.workloadsIn(where));
  }

  override workloadsAvoiding(namespace: string, labels: ReadonlyMap<string, string>): Fact<readonly Workload[]> {
    const unnamed = this.#isHere(namespace) ? (valueIn(super.workloadsAvoiding('', labels)) ?? []) : [];
    const named = super.workloadsAvoiding(namespace, labels);
    return this.#workloadsHere(mapFact(named, (workloads) => [...new Set([...workloads, ...unnamed])]));
  }

  override workloadsWithDisk(disk: string): Fact<readonly Workload[]> {
    return this.#workloadsHere(super.workloadsWithDisk(disk));
  }

  override workloadsOnPort(port: number): Fact<readonly Workload[]> {
    return this.#workloadsHere(super.workloadsOnPort(port));
  }

  override autoscalersOf(kind: WorkloadKind, namespace: string, name: string): Fact<readonly Autoscaler[]> {
    const unnamed = namespace === this.#namespace ? (valueIn(super.autoscalersOf(kind, '', name)) ?? []) : [];
    return mapFact(super.autoscalersOf(kind, namespace, name), (named) => [...named, ...unnamed]);
  }

  /** Whether what names no namespace is in this one too. */
  #isHere(namespace: string): boolean {
    return namespace === this.#namespace && namespace !== '';
  }

  #volumesHere(volumes: Fact<readonly PersistentVolume[]>): Fact<readonly PersistentVolume[]> {
    return mapFact(volumes, (all) => all.map((volume) => this.#volumeHere(volume)));
  }

  #volumeHere(volume: PersistentVolume): PersistentVolume {
    const { claimRef } = volume;
    return claimRef?.namespace === '' ? { ...volume, claimRef: { ...claimRef, namespace: this.#namespace } } : volume;
  }

  #workloadsHere(workloads: Fact<readonly Workload[]>): Fact<readonly Workload[]> {
    return mapFact(workloads, (all) =>
      all.map((workload) => (workload.metadata.namespace === '' ? inNamespace(workload, this.#namespace) : workload)),
    );
  }
}

/** The claim that a pod of this namespace mounts by this name. */
function claimMet(namespace: string, name: string, state: ClusterSnapshot): PersistentVolumeClaim | undefined {
  const claim =
    valueIn(state.get('PersistentVolumeClaim', namespace, name)) ??
    valueIn(state.get('PersistentVolumeClaim', '', name));
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
  if (claim.volumeName === '' || valueIn(state.get('PersistentVolume', '', claim.volumeName)) !== undefined)
    return claim;
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
  snapshot: Pick<ClusterSnapshot, 'get'>,
): string | undefined {
  if (volumeName !== '' || storageClassName === '') return undefined;
  return valueIn(snapshot.get('StorageClass', '', storageClassName)) === undefined ? storageClassName : undefined;
}

/** What was read into the class's name, in words; nothing where the input has the class, or the volume. */
export function assumedClass({ volumeName, storageClassName = '' }: PersistentVolumeClaim, cluster: InputCluster) {
  const { state, guess } = cluster;
  const isWritten = volumeName !== '' || valueIn(state.get('StorageClass', '', storageClassName)) !== undefined;
  const found = guess && !isWritten ? wellKnownClass(storageClassName) : undefined;
  return found === undefined
    ? []
    : [`class ${found.name} is of ${found.provisioner} (its StorageClass is not in the input)`];
}
