import type { Fact } from '../objects/fact.ts';
import type { Autoscaler } from '../objects/horizontal-pod-autoscaler.ts';
import type { Kind, NamedKind, WorkloadKind } from '../objects/kinds.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { ObjectsByKind } from '../objects/read-object.ts';
import type { StorageClass } from '../objects/storage-class.ts';
import type { Workload } from '../objects/workload.ts';
import type { NodeIndex } from './node-index.ts';

/**
 * What is known of the cluster at one moment, by look-ups only: nothing here walks over all nodes or all claims.
 * A known `undefined` says that the object does not exist; an unknown fact says why nobody can tell (a list that has
 * not synced, a permission that is missing).
 */
export interface ClusterSnapshot {
  /**
   * One object, by its name. `namespace` is empty for cluster-scoped ones. Only workloads that run pods, or whose pods hold
   * a claim or a disk, are kept; any other reads as absent.
   */
  get<K extends Kind>(kind: K, namespace: string, name: string): Fact<ObjectsByKind[K] | undefined>;
  defaultStorageClass(): Fact<StorageClass | undefined>;
  nodes(): Fact<NodeIndex>;
  /** Top-level workloads whose pods share the claim, or of which one pod has it for itself. Kinds that cannot be listed are left out and named. */
  workloadsMounting(namespace: string, claim: string): UsersOfClaim;
  /** Top-level workloads of these namespaces, or of all; unknown where they are very many, or some kind cannot be listed. */
  workloadsIn(namespaces: readonly string[] | 'all'): Fact<readonly Workload[]>;
  /** Top-level workloads whose required anti-affinity may mean pods of the namespace with these labels. */
  workloadsAvoiding(namespace: string, labels: ReadonlyMap<string, string>): Fact<readonly Workload[]>;
  /** Top-level workloads whose pods want this port of their node, anywhere. */
  workloadsOnPort(port: number): Fact<readonly Workload[]>;
  /** Top-level workloads that write this disk into their pods, anywhere. */
  workloadsWithDisk(disk: string): Fact<readonly Workload[]>;
  /** Autoscalers whose target is this workload. */
  autoscalersOf(kind: WorkloadKind, namespace: string, name: string): Fact<readonly Autoscaler[]>;
  /** Volumes that are one and the same disk: their source has this driver and handle. */
  volumesOnDisk(disk: string): Fact<readonly PersistentVolume[]>;
  /** Volumes whose claimRef names this claim and that are not bound yet. */
  volumesKeptFor(namespace: string, claim: string): Fact<readonly PersistentVolume[]>;
  /** Volumes of this class, or of none where it is empty, that any claim may get; unknown where they are very many. */
  freeVolumes(storageClassName: string): Fact<readonly PersistentVolume[]>;
}

export interface UsersOfClaim {
  readonly workloads: readonly Workload[];
  /** Why there may be more of them. */
  readonly unknown: readonly string[];
}

/** One object that a snapshot may be asked for by name. `namespace` is empty for cluster-scoped ones. */
export interface ObjectRef {
  readonly kind: NamedKind;
  readonly namespace: string;
  readonly name: string;
}

/** What a look-up by name brought: the object, a known `undefined` where it does not exist, or why nobody can tell. */
export type LookedUp<K extends NamedKind = NamedKind> = {
  readonly [One in K]: ObjectRef & { readonly kind: One; readonly found: Fact<ObjectsByKind[One] | undefined> };
}[K];
