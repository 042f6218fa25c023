import type { Budget } from '../budget.ts';
import { type AccessMode, isExclusive } from '../objects/access-mode.ts';
import type { Fact } from '../objects/fact.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { NodeSelectorTerm } from '../objects/selector.ts';
import type { ClusterSnapshot, ObjectRef } from '../snapshot/snapshot.ts';
import type { StorageMatrix } from './storage-backend.ts';

/** Where a volume can be used: alternatives of node affinity, and zones. */
export interface Place {
  readonly nodeAffinity: readonly NodeSelectorTerm[] | undefined;
  readonly zones: ReadonlyMap<string, readonly string[]>;
}

/** Where the volume of an unbound claim can be used once the claim is bound. */
export type OnceBound =
  /** The volume can be used in one domain of this topology; which one is open. */
  | { readonly type: 'domain'; readonly topology: string }
  /** The claim gets a volume that exists already, which can be used in one of these places. */
  | { readonly type: 'place'; readonly places: readonly Place[] };

/** What is known of a volume that the pods of a workload share, and of the claim in front of it. */
export interface Claim extends Place {
  /** The claim's name, or the pod volume's where a disk is written straight into the template. */
  readonly name: string;
  /** Tells which volume it is: two of the same identity are one volume. */
  readonly identity: string;
  /** The bound volume's; while unbound, what the claim asks for. */
  readonly accessModes: Fact<readonly AccessMode[]>;
  /** Whether the attach-detach controller keeps it on one node at a time. */
  readonly attachable: Fact<boolean>;
  /** Whether one pod only may use it, because of ReadWriteOncePod or of its driver. */
  readonly onePod: Fact<boolean>;
  /** What else limits its place once it is bound; `undefined` where it is bound, or nothing more is known. */
  readonly onceBound: OnceBound | undefined;
  /** The names of the class that will make its volume and of that one's provisioner, as far as they are known. */
  readonly madeBy?: readonly string[];
  /** The driver or plugin of its volume, where it has one that is known. */
  readonly storage?: string;
  /** Nothing is bound before the scheduler has chosen a node for some pod. */
  readonly waitsForPod?: boolean;
  /** No container mounts it: it is attached for the pods, which do not wait for it. */
  readonly unmounted?: boolean;
  /** Deletion has begun: pods that have it keep it, and no other gets it any more. */
  readonly deleting?: boolean;
  /** Which disk it is, as others may write it into their pods. */
  readonly disk?: string | undefined;
  /** The claim itself, and others whose volumes are the same disk. */
  readonly claimsOfDisk: readonly ClaimRef[];
}

export interface ClaimRef {
  readonly namespace: string;
  readonly name: string;
}

/** Whether it cannot be ruled out that only one node, or one pod, may have it. */
export function mayBeExclusive({ accessModes, attachable, onePod }: Claim): boolean {
  if (!onePod.known || onePod.value) return true;
  if (attachable.known && !attachable.value) return false;
  return !accessModes.known || isExclusive(accessModes.value);
}

/** Where claims are read from, and a place to note what was asked for and not found. */
export interface Reading {
  readonly snapshot: ClusterSnapshot;
  readonly matrix: StorageMatrix;
  /** The budget of the review that asks. */
  readonly budget: Budget;
  /** The pools by what a claim asks for: a pod may have hundreds of claims that ask for the same. */
  readonly pools: Map<string, Pool>;
  readonly missed: (ref: ObjectRef) => void;
}

/** Volumes of which a claim gets one, and what there is to say of all. Claims that ask for the same have the same pool. */
export interface Pool {
  readonly volumes: Fact<readonly PersistentVolume[]>;
  /** What there is to say of all volumes; `undefined` where there are none. */
  readonly common: Common | undefined;
}

/** What volumes agree on, `undefined` where they differ, and where each can be used. */
export interface Common extends Place, Pick<Claim, 'onceBound'> {
  readonly accessModes: Claim['accessModes'] | undefined;
  readonly attachable: Claim['attachable'] | undefined;
  readonly onePod: Claim['onePod'] | undefined;
}
