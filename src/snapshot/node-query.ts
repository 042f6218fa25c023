import type { NodeSelectorTerm } from '../objects/selector.ts';
import type { Toleration } from '../objects/toleration.ts';

/** Which nodes are asked for. Everything has to hold. */
export interface NodeQuery {
  /** Each entry is a choice: one of its terms has to match the node. */
  readonly selectors: readonly (readonly NodeSelectorTerm[])[];
  /** Zone and region labels of volumes, each with the values allowed (`volumezone`). */
  readonly zones: readonly ReadonlyMap<string, readonly string[]>[];
  readonly tolerations: readonly Toleration[];
  /** Whether cordons and the taints that Kubernetes sets by a node's health count as they are at this moment. */
  readonly countsTransient: boolean;
}
