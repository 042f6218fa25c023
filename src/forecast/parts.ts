import type { Budget } from '../budget.ts';
import type { PodFacts } from '../facts/workload-facts.ts';
import type { Assumption } from './assumption.ts';
import type { Revision } from './pod-labels.ts';

/** Pods of one template of the workload in question. */
export interface OwnPods {
  readonly facts: PodFacts;
  readonly revision: Revision;
  /** How many of them have a number, and so are a class each; nothing where all are alike. */
  readonly ordinals: number | undefined;
  readonly countsCordons: boolean;
  /** Whether they run already. */
  readonly areThere: boolean;
}

/** A pod of another workload; without a number it is whichever of them. */
export interface OtherPods {
  readonly facts: PodFacts;
  readonly number: number | undefined;
}

/** What a world is made of. */
export interface Parts {
  readonly own: readonly OwnPods[];
  readonly others: readonly OtherPods[];
  /** Nodes on which pods are known to be. */
  readonly places: ReadonlySet<string> | undefined;
  /** The most pods that there may be at once. */
  readonly mostPods: number;
  readonly assumption: Assumption;
  readonly budget: Budget;
}
