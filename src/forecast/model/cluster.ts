import type { Claim } from '../../facts/claim.ts';
import type { PodFacts } from '../../facts/workload-facts.ts';
import type { Node } from '../../objects/node.ts';
import type { Pod } from '../togetherness.ts';
import { firstPod, type State } from './state.ts';

/** Pods that nothing tells apart but their node and how far they have come. */
export interface PodClass extends Pod {
  readonly index: number;
  readonly facts: PodFacts;
  /** Pods of the workload in question; all others stay as they are. */
  readonly isOwn: boolean;
  /** What they hold, by the index of the volume. */
  readonly claims: readonly HeldClaim[];
  /** The one node that they may be on: of their template, or where a DaemonSet means them to be. */
  readonly onlyNode: number | undefined;
  /** Whether today's cordons count for them. */
  readonly countsCordons: boolean;
}

export interface HeldClaim {
  readonly claim: Claim;
  readonly volume: number;
}

/** A disk, by whatever claims. */
export interface Volume {
  readonly claim: Claim;
  /** The attach-detach controller lets one node have it at a time. */
  readonly isAttachedToOne: boolean;
  /** One pod at most may use the claim, or mount the volume. */
  readonly isForOnePod: boolean;
}

/** What does not change while the controllers are at work. */
export interface Cluster {
  /** A name without a node is one that somebody wrote, or that has gone. */
  readonly nodes: readonly (Node | undefined)[];
  readonly names: readonly string[];
  /** By node the number of its class: of those that are alike and empty one is as good as any. */
  readonly alike: readonly number[];
  readonly classes: readonly PodClass[];
  readonly volumes: readonly Volume[];
}

/** Where the pods begin in each state of this cluster. */
export function podsFrom({ volumes }: Cluster): number {
  return firstPod(volumes.length);
}

/** What may happen next, each as the state that it leads to. */
export type Steps = (state: State) => readonly State[];
