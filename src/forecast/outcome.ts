import type { ObjectRef } from '../snapshot/snapshot.ts';
import type { Reason, Wait } from './reasons.ts';

export interface Outcome {
  /** Some pod will wait for a volume that is attached to another node. */
  readonly multiAttach: boolean;
  /** It will never end without a person. */
  readonly stuck: boolean;
  /** For a rollout, what old pods do to new ones; for the steady state, what replicas do to each other. */
  readonly waits: readonly Wait[];
}

/** Worst cases over the scheduler's choice among the nodes that pass its filters, and over nothing else. */
export interface Outcomes {
  /** The rollout that is being asked for, and the next one after it. */
  readonly rollout: Outcome;
  /** All replicas running at once. */
  readonly steady: Outcome;
  /** All replicas running that an autoscaler may ask for, where that is more. */
  readonly autoscaled: { readonly replicas: number; readonly outcome: Outcome } | undefined;
  /** What pods of other workloads, or runs of its own that overlap, do to its pods. */
  readonly shared: readonly SharedWith[];
}

/** Another user of a claim, in words, and why both may not run at once. */
export interface SharedWith {
  readonly user: string;
  /** Where it is another workload. */
  readonly workload?: ObjectRef;
  readonly reasons: readonly Reason[];
}

export interface Forecast {
  /** What will happen even if everything unknown turns out well. */
  readonly certain: Outcomes;
  /** What may happen, by how the unknown turns out; empty when everything is known. */
  readonly possible: readonly Outcomes[];
  /** What is not known. */
  readonly open: readonly string[];
  /** Whether the budget left some question unasked: what was found is certain, and there may be more. */
  readonly overBudget: boolean;
}
