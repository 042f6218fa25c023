import { type Fact, known } from './fact.ts';
import type { Namespace } from './namespace.ts';
import type { Node } from './node.ts';
import { NodeIndex } from './node-index.ts';
import { keyOf } from './object-key.ts';
import type { PersistentVolumeClaim } from './persistent-volume-claim.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import { type CsiDriver, defaultClassOf, type StorageClass } from './storage-class.ts';
import type { PersistentVolume } from './volume.ts';
import { claimNames, type Workload, type WorkloadKind } from './workload.ts';

/** The lists that a cluster's state is made of, named as the API names its resources. */
export const LISTS = [
  'nodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
  'csidrivers',
  'namespaces',
  'deployments',
] as const;

export type ListName = (typeof LISTS)[number];

/** Objects of one list by `namespace/name`, or by `name` where they have no namespace. */
export interface Table<T> {
  set(key: string, object: T): void;
  delete(key: string): void;
  keys(): Iterable<string>;
}

/**
 * The objects themselves, filled by whoever watches, lists or reads files. `available` says of each list whether it
 * may be trusted yet; while it may not, every look-up in it is unknown for that reason.
 */
export class ClusterState implements ClusterSnapshot {
  readonly tables: {
    readonly nodes: Table<Node>;
    readonly persistentvolumeclaims: Map<string, PersistentVolumeClaim>;
    readonly persistentvolumes: Map<string, PersistentVolume>;
    readonly storageclasses: Map<string, StorageClass>;
    readonly csidrivers: Map<string, CsiDriver>;
    readonly namespaces: Map<string, Namespace>;
    readonly deployments: WorkloadTable;
  };
  readonly #nodes = new NodeIndex();
  readonly #available: (list: ListName) => Fact<true>;

  constructor(available: (list: ListName) => Fact<true> = () => known(true)) {
    this.#available = available;
    this.tables = {
      nodes: nodeTable(this.#nodes),
      persistentvolumeclaims: new Map(),
      persistentvolumes: new Map(),
      storageclasses: new Map(),
      csidrivers: new Map(),
      namespaces: new Map(),
      deployments: new WorkloadTable(),
    };
  }

  claim(namespace: string, name: string): Fact<PersistentVolumeClaim | undefined> {
    return this.#read('persistentvolumeclaims', () => this.tables.persistentvolumeclaims.get(keyOf(namespace, name)));
  }

  volume(name: string): Fact<PersistentVolume | undefined> {
    return this.#read('persistentvolumes', () => this.tables.persistentvolumes.get(name));
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

  namespace(name: string): Fact<Namespace | undefined> {
    return this.#read('namespaces', () => this.tables.namespaces.get(name));
  }

  nodes(): Fact<NodeIndex> {
    return this.#read('nodes', () => this.#nodes);
  }

  workload(kind: WorkloadKind, namespace: string, name: string): Fact<Workload | undefined> {
    const list = LIST_OF[kind];
    return this.#read(list, () => this.tables[list].get(keyOf(namespace, name)));
  }

  workloadsMounting(namespace: string, claim: string): Fact<readonly Workload[]> {
    return this.#read('deployments', () => this.tables.deployments.mounting(keyOf(namespace, claim)));
  }

  #read<T>(list: ListName, value: () => T): Fact<T> {
    const available = this.#available(list);
    return available.known ? known(value()) : available;
  }
}

const LIST_OF = { Deployment: 'deployments' } as const satisfies Record<WorkloadKind, ListName>;

/** Workloads of one kind, found by their own name or by a claim that they mount. */
export class WorkloadTable implements Table<Workload> {
  readonly #workloads = new Map<string, Workload>();
  readonly #byClaim = new Map<string, Set<string>>();

  get(key: string): Workload | undefined {
    return this.#workloads.get(key);
  }

  mounting(claimKey: string): readonly Workload[] {
    return [...(this.#byClaim.get(claimKey) ?? [])].flatMap((key) => this.#workloads.get(key) ?? []);
  }

  keys(): Iterable<string> {
    return this.#workloads.keys();
  }

  set(key: string, workload: Workload): void {
    this.delete(key);
    this.#workloads.set(key, workload);
    for (const claim of claimNames(workload)) {
      const claimKey = keyOf(workload.metadata.namespace, claim);
      const users = this.#byClaim.get(claimKey);
      if (users === undefined) this.#byClaim.set(claimKey, new Set([key]));
      else users.add(key);
    }
  }

  delete(key: string): void {
    const workload = this.#workloads.get(key);
    if (workload === undefined) return;
    this.#workloads.delete(key);
    for (const claim of claimNames(workload)) {
      const claimKey = keyOf(workload.metadata.namespace, claim);
      const users = this.#byClaim.get(claimKey);
      users?.delete(key);
      if (users?.size === 0) this.#byClaim.delete(claimKey);
    }
  }
}

function nodeTable(nodes: NodeIndex): Table<Node> {
  return {
    set: (_name, node) => nodes.set(node),
    delete: (name) => nodes.delete(name),
    keys: () => nodes.names(),
  };
}
