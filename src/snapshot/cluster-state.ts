import { type Fact, known, unknown } from '../objects/fact.ts';
import type { Autoscaler } from '../objects/horizontal-pod-autoscaler.ts';
import type { Namespace } from '../objects/namespace.ts';
import type { Node } from '../objects/node.ts';
import { keyOf } from '../objects/object-key.ts';
import { diskOf, type PersistentVolume } from '../objects/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { RuntimeClass } from '../objects/runtime-class.ts';
import { type CsiDriver, defaultClassOf, type StorageClass } from '../objects/storage-class.ts';
import {
  claimNames,
  makerOf,
  numberedClaim,
  ordinalOfOwner,
  runsPods,
  WORKLOAD_KINDS,
  type Workload,
  type WorkloadKind,
} from '../objects/workload.ts';
import { IndexedTable, type Table } from './indexed-table.ts';
import { has, listensOn, looksInto, placesAvoided, termsAvoiding, termsOfNearby } from './nearby-terms.ts';
import { NodeIndex } from './node-index.ts';
import type { ClusterSnapshot, UsersOfClaim } from './snapshot.ts';

/** The lists that a cluster's state is made of, named as the API names its resources. */
export const LISTS = [
  'nodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
  'csidrivers',
  'runtimeclasses',
  'namespaces',
  'deployments',
  'statefulsets',
  'daemonsets',
  'replicasets',
  'jobs',
  'cronjobs',
  'horizontalpodautoscalers',
] as const;

export type ListName = (typeof LISTS)[number];

export const LIST_OF_KIND = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
  ReplicaSet: 'replicasets',
  Job: 'jobs',
  CronJob: 'cronjobs',
} as const satisfies Record<WorkloadKind, ListName>;

type WorkloadList = (typeof LIST_OF_KIND)[WorkloadKind];

export interface ClusterTables extends Readonly<Record<WorkloadList, IndexedTable<Workload>>> {
  readonly nodes: Table<Node>;
  readonly persistentvolumeclaims: Map<string, PersistentVolumeClaim>;
  readonly persistentvolumes: IndexedTable<PersistentVolume>;
  readonly storageclasses: Map<string, StorageClass>;
  readonly csidrivers: Map<string, CsiDriver>;
  readonly runtimeclasses: Map<string, RuntimeClass>;
  readonly namespaces: Map<string, Namespace>;
  readonly horizontalpodautoscalers: IndexedTable<Autoscaler>;
}

/**
 * The objects themselves, filled by whoever watches, lists or reads files. `available` says of each list whether it
 * may be trusted yet; while it may not, every look-up in it is unknown for that reason.
 */
export class ClusterState implements ClusterSnapshot {
  readonly tables: ClusterTables;
  readonly #nodes = new NodeIndex();
  readonly #available: (list: ListName) => Fact<true>;

  constructor(available: (list: ListName) => Fact<true> = () => AVAILABLE) {
    this.#available = available;
    this.tables = {
      nodes: nodeTable(this.#nodes),
      persistentvolumeclaims: new Map(),
      persistentvolumes: new IndexedTable(termsOfVolume),
      storageclasses: new Map(),
      csidrivers: new Map(),
      runtimeclasses: new Map(),
      namespaces: new Map(),
      deployments: new IndexedTable(termsOfWorkload),
      statefulsets: new IndexedTable(termsOfWorkload),
      daemonsets: new IndexedTable(termsOfWorkload),
      replicasets: new IndexedTable(termsOfWorkload),
      jobs: new IndexedTable(termsOfWorkload),
      cronjobs: new IndexedTable(termsOfWorkload),
      horizontalpodautoscalers: new IndexedTable(({ namespace, target }) => [
        targetKey(target.kind, namespace, target.name),
      ]),
    };
  }

  claim(namespace: string, name: string): Fact<PersistentVolumeClaim | undefined> {
    return this.#read('persistentvolumeclaims', () => this.tables.persistentvolumeclaims.get(keyOf(namespace, name)));
  }

  volume(name: string): Fact<PersistentVolume | undefined> {
    return this.#read('persistentvolumes', () => this.tables.persistentvolumes.get(name));
  }

  volumesOnDisk(disk: string): Fact<readonly PersistentVolume[]> {
    return this.#read('persistentvolumes', () => this.tables.persistentvolumes.under(disk));
  }

  volumesKeptFor(namespace: string, claim: string): Fact<readonly PersistentVolume[]> {
    const term = keptFor({ namespace, name: claim });
    return this.#read('persistentvolumes', () => this.tables.persistentvolumes.under(term));
  }

  freeVolumes(storageClassName: string): Fact<readonly PersistentVolume[]> {
    const term = freeOf(storageClassName);
    const free = this.#read('persistentvolumes', () =>
      this.tables.persistentvolumes.under(term, MOST_FREE_VOLUMES + 1),
    );
    if (!free.known || free.value.length <= MOST_FREE_VOLUMES) return free;
    const ofClass = storageClassName === '' ? 'of no class' : `of class ${storageClassName}`;
    return unknown(`more than ${MOST_FREE_VOLUMES} volumes ${ofClass} are free`);
  }

  storageClass(name: string): Fact<StorageClass | undefined> {
    return this.#read('storageclasses', () => this.tables.storageclasses.get(name));
  }

  /** Walks over the classes, of which a cluster has a handful. */
  defaultStorageClass(): Fact<StorageClass | undefined> {
    return this.#read('storageclasses', () => defaultClassOf(this.tables.storageclasses.values()));
  }

  csiDriver(name: string): Fact<CsiDriver | undefined> {
    return this.#read('csidrivers', () => this.tables.csidrivers.get(name));
  }

  runtimeClass(name: string): Fact<RuntimeClass | undefined> {
    return this.#read('runtimeclasses', () => this.tables.runtimeclasses.get(name));
  }

  namespace(name: string): Fact<Namespace | undefined> {
    return this.#read('namespaces', () => this.tables.namespaces.get(name));
  }

  nodes(): Fact<NodeIndex> {
    return this.#read('nodes', () => this.#nodes);
  }

  workload(kind: WorkloadKind, namespace: string, name: string): Fact<Workload | undefined> {
    const list = LIST_OF_KIND[kind];
    return this.#read(list, () => this.tables[list].get(keyOf(namespace, name)));
  }

  workloadsMounting(namespace: string, claim: string): UsersOfClaim {
    const workloads: Workload[] = this.#ownersOf(namespace, claim);
    const unknown: string[] = [];
    const key = keyOf(namespace, claim);
    for (const kind of WORKLOAD_KINDS) {
      const list = LIST_OF_KIND[kind];
      const available = this.#available(list);
      if (available.known) workloads.push(...this.tables[list].under(key, MOST_USERS + 1));
      else unknown.push(available.because);
    }
    if (workloads.length > MOST_USERS) unknown.push(`more than ${MOST_USERS} workloads use claim ${key}`);
    return { workloads: workloads.slice(0, MOST_USERS).filter((workload) => !this.#isOfMaker(workload)), unknown };
  }

  /** Whether its maker stands for a workload: it is there and runs pods, or cannot be listed, which others tell. */
  #isOfMaker(workload: Workload): boolean {
    const maker = makerOf(workload);
    if (maker === undefined) return false;
    const list = LIST_OF_KIND[maker.kind];
    if (!this.#available(list).known) return true;
    const found = this.tables[list].get(keyOf(workload.metadata.namespace, maker.name));
    return found !== undefined && found.uid === maker.uid && runsPods(found);
  }

  /** StatefulSets of which a pod has the claim for itself. */
  #ownersOf(namespace: string, claim: string): Workload[] {
    const prefix = numberedClaim(claim)?.prefix;
    if (prefix === undefined || !this.#available('statefulsets').known) return [];
    const named = this.tables.statefulsets.under(ownClaimsKey(namespace, prefix));
    return named.filter((workload) => ordinalOfOwner(workload, claim) !== undefined);
  }

  workloadsIn(namespaces: readonly string[] | 'all'): Fact<readonly Workload[]> {
    const found: Workload[] = [];
    let looked = 0; // each Deployment has one ReplicaSet that runs its pods
    for (const kind of WORKLOAD_KINDS) {
      const list = LIST_OF_KIND[kind];
      const available = this.#available(list);
      if (!available.known) return available;
      for (const workload of this.#workloadsOf(list, namespaces)) {
        looked++;
        if (!this.#isOfMaker(workload)) found.push(workload);
        if (found.length > MOST_BYSTANDERS || looked > 2 * MOST_BYSTANDERS) {
          return unknown(`more than ${MOST_BYSTANDERS} workloads may be meant`);
        }
      }
    }
    return known(found);
  }

  #workloadsOf(list: WorkloadList, namespaces: readonly string[] | 'all'): Iterable<Workload> {
    const table = this.tables[list];
    if (namespaces === 'all') return table.values();
    return namespaces.flatMap((namespace) => table.under(allIn(namespace), MOST_BYSTANDERS + 1));
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
      const list = LIST_OF_KIND[kind];
      const available = this.#available(list);
      if (!available.known) return available;
      for (const { all, each } of terms) {
        if (all !== undefined && !this.tables[list].has(all)) continue;
        for (const term of each()) {
          found.push(...this.tables[list].under(term, MOST_NEARBY + 1));
          if (found.length > MOST_NEARBY) return MORE_NEARBY;
        }
      }
    }
    return known(found.filter((workload) => !this.#isOfMaker(workload)));
  }

  autoscalersOf(kind: WorkloadKind, namespace: string, name: string): Fact<readonly Autoscaler[]> {
    const key = targetKey(kind, namespace, name);
    return this.#read('horizontalpodautoscalers', () => this.tables.horizontalpodautoscalers.under(key));
  }

  #read<T>(list: ListName, value: () => T): Fact<T> {
    const available = this.#available(list);
    return available.known ? known(value()) : available;
  }
}

const AVAILABLE = known(true as const);

/** More workloads than a namespace holds in practice; to compare the labels of one takes less than a microsecond. */
export const MOST_BYSTANDERS = 1_000;

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
    keys: () => nodes.names(),
  };
}
