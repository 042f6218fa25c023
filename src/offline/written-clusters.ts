import { ClusterState, type ListName } from '../facts/cluster-state.ts';
import { type Fact, mapFact } from '../facts/fact.ts';
import type { JsonObject } from '../facts/json.ts';
import { sameJson } from '../facts/same-json.ts';
import type { ClusterSnapshot } from '../facts/snapshot.ts';
import { putObject } from './file-snapshot.ts';
import { Nearest } from './nearest.ts';
import type { Manifest } from './read-manifests.ts';
import type { ClaimTemplate, WrittenCluster } from './written-cluster.ts';

export type Cluster = Omit<WrittenCluster, 'guess'>;

/** One object of the input that may count for others. */
export interface WrittenObject {
  readonly file: string;
  readonly manifest: Manifest;
  /** As the API of today has it. */
  readonly object: JsonObject;
  readonly list: ListName;
  /** `kind namespace/name`, the namespace as it is written. */
  readonly id: string;
  /** By their ids: the claims that a workload may mount, the workload that an autoscaler scales. */
  readonly refersTo: () => readonly string[];
  /** Of a StatefulSet, by `namespace/<template>-<statefulset>`. */
  readonly claimTemplates: readonly (readonly [string, ClaimTemplate])[];
}

/**
 * The cluster that each file belongs to. Where the input has several objects of one name that may not be one object, as a
 * chart has that is rendered for two stages, a file meets the nearest of them, and those others that meet the same.
 */
export class WrittenClusters {
  readonly #whole: Cluster;
  readonly #objects = new Nearest<WrittenObject>();
  /** The ids of which there are several. */
  readonly #rivals: ReadonlySet<string>;
  /** What every file meets. */
  readonly #common: Cluster;
  /** Those that have rivals, or refer to what has. */
  readonly #parted = new Set<WrittenObject>();
  readonly #refersTo = new Map<WrittenObject, readonly string[]>();
  /** By an id, the ids of those that refer to it. */
  readonly #referring = new Map<string, Set<string>>();
  /** What the search for all that a file meets begins with: what stands in it, and what is parted and of no namespace. */
  readonly #byFile: ReadonlyMap<string, readonly WrittenObject[]>;
  readonly #everywhere: readonly WrittenObject[];
  readonly #clusters = new Map<string, Cluster>();

  /** `whole` holds all of the objects, and what else the input has. */
  constructor(whole: ClusterSnapshot, objects: readonly WrittenObject[]) {
    this.#whole = { state: whole, claimTemplates: templatesOf(objects) };
    for (const object of objects) for (const id of idsOf(object)) this.#objects.add(id, object);
    const rivals = [...this.#objects.several()].filter(([, several]) => areRivals(several));
    this.#rivals = new Set(rivals.map(([id]) => id));
    if (this.#rivals.size > 0) for (const object of objects) this.#connect(object);
    this.#byFile = Map.groupBy(this.#refersTo.keys(), ({ file }) => file);
    this.#everywhere = [...this.#parted].filter(({ list }) => OF_THE_CLUSTER.has(list));
    this.#common =
      this.#parted.size === 0 ? this.#whole : clusterOf(objects.filter((object) => !this.#parted.has(object)));
  }

  #connect(object: WrittenObject): void {
    const refersTo = object.refersTo();
    this.#refersTo.set(object, refersTo);
    for (const id of refersTo) this.#referring.set(id, (this.#referring.get(id) ?? new Set()).add(object.id));
    if ([...idsOf(object), ...refersTo].some((id) => this.#rivals.has(id))) this.#parted.add(object);
  }

  /** The cluster as what stands in this file meets it. */
  seenFrom(file: string): Cluster {
    if (this.#rivals.size === 0) return this.#whole;
    const seen = this.#clusters.get(file) ?? layered(clusterOf(this.#metFrom(file)), this.#common, this.#whole);
    this.#clusters.set(file, seen);
    return seen;
  }

  /** Of what is parted, all that the file's objects have to do with. */
  #metFrom(file: string): readonly WrittenObject[] {
    const met = new Set([...(this.#byFile.get(file) ?? []), ...this.#everywhere]);
    // What is added while the loop runs has its turn too.
    for (const object of met) {
      for (const id of [...idsOf(object), ...(this.#refersTo.get(object) ?? [])]) {
        for (const other of [id, ...(this.#referring.get(id) ?? [])]) {
          const found = this.nearest(file, other);
          if (found !== undefined && this.#counts(file, found)) met.add(found);
        }
      }
    }
    return [...met].filter((object) => this.#parted.has(object) && this.#counts(file, object));
  }

  #counts(file: string, object: WrittenObject): boolean {
    if (this.nearest(file, object.id) !== object) return false;
    const refersTo = this.#refersTo.get(object) ?? [];
    return refersTo.every((id) => this.nearest(file, id) === this.nearest(object.file, id));
  }

  /** The object of this id that counts for a file. */
  nearest(file: string, id: string): WrittenObject | undefined {
    return this.#objects.from(file, id).at(-1);
  }

  /** The objects of this id that are as near as the one that counts, and say something else than it. */
  inDoubt(file: string, id: string): readonly WrittenObject[] {
    const counting = this.nearest(file, id);
    return this.#objects.from(file, id).filter(({ object }) => !sameJson(object, counting?.object));
  }
}

/** Its own id, and what stands for the claims that a StatefulSet makes. */
function idsOf({ id, claimTemplates }: WrittenObject): readonly string[] {
  return [id, ...claimTemplates.map(([key]) => idOfNumbered(key))];
}

/** What stands for `<prefix>-<ordinal>`, of whatever ordinal. */
export function idOfNumbered(prefix: string): string {
  return `PersistentVolumeClaim ${prefix}-*`;
}

const OF_THE_CLUSTER: ReadonlySet<ListName> = new Set(['persistentvolumes', 'storageclasses', 'csidrivers']);

/** Two that name their place and say the same are one object, which was written down twice. */
function areRivals([first, ...others]: readonly WrittenObject[]): boolean {
  if (first === undefined) return false;
  const isPlaced = OF_THE_CLUSTER.has(first.list) || first.id.includes('/');
  return !isPlaced || others.some(({ object }) => !sameJson(object, first.object));
}

function clusterOf(objects: readonly WrittenObject[]): Cluster {
  const state = new ClusterState();
  for (const { object } of objects) putObject(state, object, '');
  return { state, claimTemplates: templatesOf(objects) };
}

function templatesOf(objects: readonly WrittenObject[]): Cluster['claimTemplates'] {
  return new Map(objects.flatMap(({ claimTemplates }) => claimTemplates));
}

/** The near objects before those of the same name that every file meets. */
function layered(near: Cluster, common: Cluster, whole: Cluster): Cluster {
  const [a, b] = [near.state, common.state];
  const state: ClusterSnapshot = {
    claim: (namespace, name) => first(a.claim(namespace, name), b.claim(namespace, name)),
    volume: (name) => first(a.volume(name), b.volume(name)),
    storageClass: (name) => first(a.storageClass(name), b.storageClass(name)),
    defaultStorageClass: () => first(a.defaultStorageClass(), b.defaultStorageClass()),
    csiDriver: (name) => first(a.csiDriver(name), b.csiDriver(name)),
    workload: (kind, namespace, name) => first(a.workload(kind, namespace, name), b.workload(kind, namespace, name)),
    workloadsMounting: (namespace, claim) => {
      const [nearby, others] = [a.workloadsMounting(namespace, claim), b.workloadsMounting(namespace, claim)];
      return { workloads: [...nearby.workloads, ...others.workloads], unknown: others.unknown };
    },
    workloadsIn: (namespaces) => both(a.workloadsIn(namespaces), b.workloadsIn(namespaces)),
    autoscalersOf: (kind, namespace, name) =>
      both(a.autoscalersOf(kind, namespace, name), b.autoscalersOf(kind, namespace, name)),
    volumesOnDisk: (disk) => both(a.volumesOnDisk(disk), b.volumesOnDisk(disk)),
    volumesKeptFor: (namespace, claim) => both(a.volumesKeptFor(namespace, claim), b.volumesKeptFor(namespace, claim)),
    freeVolumes: (storageClassName) => both(a.freeVolumes(storageClassName), b.freeVolumes(storageClassName)),
    namespace: (name) => whole.state.namespace(name),
    nodes: () => whole.state.nodes(),
  };
  return { state, claimTemplates: new Map([...common.claimTemplates, ...near.claimTemplates]) };
}

function first<T>(near: Fact<T | undefined>, other: Fact<T | undefined>): Fact<T | undefined> {
  return near.known && near.value !== undefined ? near : other;
}

function both<T>(near: Fact<readonly T[]>, others: Fact<readonly T[]>): Fact<readonly T[]> {
  return near.known ? mapFact(others, (more) => [...near.value, ...more]) : near;
}
