import type { Budget } from '../budget.ts';
import type { Claim, Place } from '../facts/claim.ts';
import type { NodeSearch } from '../facts/node-search.ts';
import type { PodFacts } from '../facts/workload-facts.ts';
import type { Node } from '../objects/node.ts';
import type { Pod } from './pod-labels.ts';
import { attachedTo, firstPod, nodeOf, type State } from './state.ts';

/** Pods that nothing tells apart but their node and how far they have come. */
export interface PodClass extends Pod {
  readonly index: number;
  readonly facts: PodFacts;
  /** Pods of the workload in question; all others stay as they are. */
  readonly isOwn: boolean;
  /** Whether they run before anything is done: those of others, and those of the template before an update. */
  readonly areThere: boolean;
  /** What they hold, by the index of the volume. */
  readonly claims: readonly HeldClaim[];
  /** The volumes of those, each once. */
  readonly volumes: readonly number[];
  /** Of those the ones that a container mounts, for which the kubelet waits. */
  readonly mounted: readonly number[];
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
  /** Of all claims for it, and for volumes that are one with it. */
  readonly names: readonly string[];
  /** The attach-detach controller lets one node have it at a time. */
  readonly isAttachedToOne: boolean;
  /** One pod at most may use the claim, or mount the volume. */
  readonly isForOnePod: boolean;
}

/** What does not change while the controllers are at work. */
export interface Cluster {
  /** What is done about it may cost so much. */
  readonly budget: Budget;
  /** A name without a node is one that somebody wrote, or that has gone. */
  readonly nodes: readonly (Node | undefined)[];
  readonly names: readonly string[];
  /** Nodes with the same number are alike for as long as nothing is on them. */
  readonly alike: readonly number[];
  /** Where they are looked for; nothing where none is known. */
  readonly search: NodeSearch | undefined;
  readonly classes: readonly PodClass[];
  /** Those that were asked for, by topology. */
  readonly domains: Map<string, readonly number[]>;
  /** By class, by node, what its pods pass of the filters that look at nothing else, as bits. */
  readonly passed: readonly (readonly number[])[];
  /** By node, whether it can use a volume in a place. */
  readonly usableIn: ReadonlyMap<Place, readonly boolean[]>;
  readonly volumes: readonly Volume[];
}

/** Where the pods begin in each state of this cluster. */
export function podsFrom({ volumes }: Cluster): number {
  return firstPod(volumes.length);
}

/** What may happen next, each as the state that it leads to. */
export type Steps = (state: State) => readonly State[];

/** Of nodes that are alike and empty only the first one. */
export function unlike(nodes: readonly number[], state: State, cluster: Cluster): readonly number[] {
  if (nodes.length < 2) return nodes;
  const used = usedNodes(state, cluster);
  const tried = new Set<number>();
  return nodes.filter((node) => {
    const group = cluster.alike[node] ?? node;
    if (used[node]) return true;
    if (tried.has(group)) return false;
    tried.add(group);
    return true;
  });
}

/** By node, whether a pod or a volume is there. */
function usedNodes(state: State, { nodes, volumes }: Cluster): readonly boolean[] {
  const used = new Array<boolean>(nodes.length).fill(false);
  for (let volume = 0; volume < volumes.length; volume++) {
    const node = attachedTo(state, volume);
    if (node >= 0) used[node] = true;
  }
  for (let index = firstPod(volumes.length); index < state.length; index++) {
    const node = nodeOf(state[index] ?? 0);
    if (node >= 0) used[node] = true;
  }
  return used;
}
