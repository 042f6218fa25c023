import { type Fact, known, unknown } from '../objects/fact.ts';
import type { Autoscaler } from '../objects/horizontal-pod-autoscaler.ts';
import { KINDS, type Kind, type ListName, WORKLOAD_KINDS, type WorkloadKind } from '../objects/kinds.ts';
import type { Namespace } from '../objects/namespace.ts';
import type { Node } from '../objects/node.ts';
import { keyOf } from '../objects/object-key.ts';
import { diskOf, type PersistentVolume } from '../objects/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { ObjectsByKind, ReadObject } from '../objects/read-object.ts';
import type { RuntimeClass } from '../objects/runtime-class.ts';
import { type CsiDriver, defaultClassOf, type StorageClass } from '../objects/storage-class.ts';
import { claimNames, makerOf, numberedClaim, ordinalOfOwner, runsPods, type Workload } from '../objects/workload.ts';
import { IndexedTable, type Table } from './indexed-table.ts';
import { has, listensOn, looksInto, placesAvoided, termsAvoiding, termsOfNearby } from './nearby-terms.ts';
import { NodeIndex } from './node-index.ts';
import type { ClusterSnapshot, UsersOfClaim } from './snapshot.ts';

/** The objects of each kind by `namespace/name`, or by `name`. */
export interface ClusterTables extends Readonly<Record<WorkloadKind, IndexedTable<Workload>>> {
  readonly Node: Table<Node>;
  readonly PersistentVolumeClaim: Map<string, PersistentVolumeClaim>;
  readonly PersistentVolume: IndexedTable<PersistentVolume>;
  readonly StorageClass: Map<string, StorageClass>;
  readonly CSIDriver: Map<string, CsiDriver>;
  readonly RuntimeClass: Map<string, RuntimeClass>;
  readonly Namespace: Map<string, Namespace>;
  readonly HorizontalPodAutoscaler: IndexedTable<Autoscaler>;
}

/**
 * The objects themselves, filled by whoever watches, lists or reads files. `available` says of each list whether it
 * may be trusted yet; while it may not, every look-up in it is unknown for that reason.
 */
export class ClusterState implements ClusterSnapshot {
  readonly tables: ClusterTables;
  /** The same tables. */
  readonly #byKind: { readonly [K in Kind]: Pick<Table<ObjectsByKind[K]>, 'get' | 'set'> };
  readonly #nodes = new NodeIndex();
  readonly #available: (list: ListName) => Fact<true>;

  constructor(available: (list: ListName) => Fact<true> = () => AVAILABLE) {
    this.#available = available;
    this.tables = {
      Node: nodeTable(this.#nodes),
      PersistentVolumeClaim: new Map(),
      PersistentVolume: new IndexedTable(termsOfVolume),
      StorageClass: new Map(),
      CSIDriver: new Map(),
      RuntimeClass: new Map(),
      Namespace: new Map(),
      Deployment: new IndexedTable(termsOfWorkload),
      StatefulSet: new IndexedTable(termsOfWorkload),
      DaemonSet: new IndexedTable(termsOfWorkload),
      ReplicaSet: new IndexedTable(termsOfWorkload),
      Job: new IndexedTable(termsOfWorkload),
      CronJob: new IndexedTable(termsOfWorkload),
      HorizontalPodAutoscaler: new IndexedTable(({ namespace, target }) => [
        targetKey(target.kind, namespace, target.name),
      ]),
    };
    this.#byKind = this.tables;
  }

  set<K extends Kind>(key: string, { kind, value }: ReadObject<K>): void {
    this.#byKind[kind].set(key, value);
  }

  get<K extends Kind>(kind: K, namespace: string, name: string): Fact<ObjectsByKind[K] | undefined> {
    return this.#read(kind, () => this.#byKind[kind].get(keyOf(namespace, name)));
  }

  volumesOnDisk(disk: string): Fact<readonly PersistentVolume[]> {
    return this.#read('PersistentVolume', () => this.tables.PersistentVolume.under(disk));
  }

  volumesKeptFor(namespace: string, claim: string): Fact<readonly PersistentVolume[]> {
    const term = keptFor({ namespace, name: claim });
    return this.#read('PersistentVolume', () => this.tables.PersistentVolume.under(term));
  }

  freeVolumes(storageClassName: string): Fact<readonly PersistentVolume[]> {
    const term = freeOf(storageClassName);
    const free = this.#read('PersistentVolume', () => this.tables.PersistentVolume.under(term, MOST_FREE_VOLUMES + 1));
    if (!free.known || free.value.length <= MOST_FREE_VOLUMES) return free;
    const ofClass = storageClassName === '' ? 'of no class' : `of class ${storageClassName}`;
    return unknown(`more than ${MOST_FREE_VOLUMES} volumes ${ofClass} are free`);
  }

  /** Walks over the classes, of which a cluster has a handful. */
  defaultStorageClass(): Fact<StorageClass | undefined> {
    return this.#read('StorageClass', () => defaultClassOf(this.tables.StorageClass.values()));
  }

  nodes(): Fact<NodeIndex> {
    return this.#read('Node', () => this.#nodes);
  }

  workloadsMounting(namespace: string, claim: string): UsersOfClaim {
    const workloads: Workload[] = this.#ownersOf(namespace, claim);
    const unknown: string[] = [];
    const key = keyOf(namespace, claim);
    for (const kind of WORKLOAD_KINDS) {
      const available = this.#availableOf(kind);
      if (available.known) workloads.push(...this.tables[kind].under(key, MOST_USERS + 1));
      else unknown.push(available.because);
    }
    if (workloads.length > MOST_USERS) unknown.push(`more than ${MOST_USERS} workloads use claim ${key}`);
    return { workloads: workloads.slice(0, MOST_USERS).filter((workload) => !this.#isOfMaker(workload)), unknown };
  }

  /** Whether its maker stands for a workload: it is there and runs pods, or cannot be listed, which others tell. */
  #isOfMaker(workload: Workload): boolean {
    const maker = makerOf(workload);
    if (maker === undefined) return false;
    if (!this.#availableOf(maker.kind).known) return true;
    const found = this.tables[maker.kind].get(keyOf(workload.metadata.namespace, maker.name));
    return found !== undefined && found.uid === maker.uid && runsPods(found);
  }

  /** StatefulSets of which a pod has the claim for itself. */
  #ownersOf(namespace: string, claim: string): Workload[] {
    const prefix = numberedClaim(claim)?.prefix;
    if (prefix === undefined || !this.#availableOf('StatefulSet').known) return [];
    const named = this.tables.StatefulSet.under(ownClaimsKey(namespace, prefix));
    return named.filter((workload) => ordinalOfOwner(workload, claim) !== undefined);
  }

  workloadsIn(namespaces: readonly string[] | 'all'): Fact<readonly Workload[]> {
    const found: Workload[] = [];
    let looked = 0; // each Deployment has one ReplicaSet that runs its pods
    for (const kind of WORKLOAD_KINDS) {
      const available = this.#availableOf(kind);
      if (!available.known) return available;
      for (const workload of this.#workloadsOf(kind, namespaces)) {
        looked++;
        if (!this.#isOfMaker(workload)) found.push(workload);
        if (found.length > MOST_MEANT || looked > 2 * MOST_MEANT) {
          return unknown(`more than ${MOST_MEANT} workloads may be meant`);
        }
      }
    }
    return known(found);
  }

  #workloadsOf(kind: WorkloadKind, namespaces: readonly string[] | 'all'): Iterable<Workload> {
    const table = this.tables[kind];
    if (namespaces === 'all') return table.values();
    return namespaces.flatMap((namespace) => table.under(allIn(namespace), MOST_MEANT + 1));
  }

  workloadsAvoiding(namespace: string, labels: ReadonlyMap<string, string>): Fact<readonly Workload[]> {
    const terms = placesAvoided(namespace).map((place) => {
      let asked: readonly string[] | undefined;
      const each = (): readonly string[] => (asked ??= termsAvoiding(place, labels));
      return { all: looksInto(place), each };
    });
    return this.#workloadsUnder(terms);
  }

  workloadsOnPort(port: number): Fact<readonly Workload[]> {
    return this.#workloadsUnder([{ each: () => [listensOn(port)] }]);
  }

  workloadsWithDisk(disk: string): Fact<readonly Workload[]> {
    return this.#workloadsUnder([{ each: () => [has(disk)] }]);
  }

  /** By each of the terms; those with one that all are under that are found by them, only in lists where anybody is. */
  #workloadsUnder(terms: readonly Terms[]): Fact<readonly Workload[]> {
    const found: Workload[] = [];
    for (const kind of WORKLOAD_KINDS) {
      const available = this.#availableOf(kind);
      if (!available.known) return available;
      for (const { all, each } of terms) {
        if (all !== undefined && !this.tables[kind].has(all)) continue;
        for (const term of each()) {
          found.push(...this.tables[kind].under(term, MOST_NEARBY + 1));
          if (found.length > MOST_NEARBY) return MORE_NEARBY;
        }
      }
    }
    return known(found.filter((workload) => !this.#isOfMaker(workload)));
  }

  autoscalersOf(kind: WorkloadKind, namespace: string, name: string): Fact<readonly Autoscaler[]> {
    const key = targetKey(kind, namespace, name);
    return this.#read('HorizontalPodAutoscaler', () => this.tables.HorizontalPodAutoscaler.under(key));
  }

  #read<T>(kind: Kind, value: () => T): Fact<T> {
    const available = this.#availableOf(kind);
    return available.known ? known(value()) : available;
  }

  #availableOf(kind: Kind): Fact<true> {
    return this.#available(KINDS[kind].list);
  }
}

const AVAILABLE = known(true as const);

/** More workloads than a namespace holds in practice; to compare the labels of one takes less than a microsecond. */
export const MOST_MEANT = 1_000;

/** As many as are compared to find those that keep away from a pod, the ReplicaSets of Deployments among them. */
const MOST_NEARBY = 200;

const MORE_NEARBY = unknown(`more than ${MOST_NEARBY} workloads may keep its pods off nodes`);

/** Terms to look by, and one under which everybody is who is under one of them. */
interface Terms {
  readonly all?: string;
  readonly each: () => readonly string[];
}

/** The number of one claim's users that are looked at to find those that run pods. */
const MOST_USERS = 1_000;

function termsOfWorkload(workload: Workload): readonly string[] {
  return [
    ...claimKeysOf(workload),
    ...ownClaimsKeysOf(workload),
    ...termsOfNearby(workload),
    allIn(workload.metadata.namespace),
  ];
}

/** A key for all workloads of a namespace; no claim's key has a blank, and keys of own claims end otherwise. */
function allIn(namespace: string): string {
  return `all in ${namespace}`;
}

function claimKeysOf(workload: Workload): readonly string[] {
  return claimNames(workload).map((claim) => keyOf(workload.metadata.namespace, claim));
}

function ownClaimsKeysOf({ metadata, ownClaims }: Workload): readonly string[] {
  return ownClaims.prefixes.map((prefix) => ownClaimsKey(metadata.namespace, prefix));
}

/** One key for all pods of a StatefulSet, which may be thousands. A claim's key has no blank. */
function ownClaimsKey(namespace: string, prefix: string): string {
  return `${keyOf(namespace, prefix)} of each pod`;
}

/** How many of one class are compared with the claim, which a decision of 60 µs leaves little time for. */
export const MOST_FREE_VOLUMES = 64;

/** The terms by which a volume is looked up. A bound one has only its disk, so that 100,000 of them weigh no more. */
export function termsOfVolume({ source, claimRef, offer }: PersistentVolume): readonly string[] {
  const disk = diskOf(source);
  const disks = disk === undefined ? [] : [disk];
  if (offer === undefined) return disks;
  return [...disks, claimRef === undefined ? freeOf(offer.storageClassName) : keptFor(claimRef)];
}

/** No disk's name has a blank before its `^`, as those of drivers and plugins have none. */
export function keptFor({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `kept for ${keyOf(namespace, name)}`;
}

export function freeOf(storageClassName: string): string {
  return `free of class ${storageClassName}`;
}

function targetKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${keyOf(namespace, name)}`;
}

function nodeTable(nodes: NodeIndex): Table<Node> {
  return {
    set: (_name, node) => nodes.set(node),
    delete: (name) => nodes.delete(name),
    get: (name) => nodes.get(name),
    keys: () => nodes.names(),
  };
}
