import type { WorkloadFacts } from '../facts/workload-facts.ts';

/** What may save a workload, and the workload without it. */
export interface Trait {
  readonly because: string;
  readonly without: (facts: WorkloadFacts) => WorkloadFacts;
  /** What it saves from in the first place: all pods at once, else a rollout. */
  readonly isAboutAll?: true;
}

/** The trait, where the workload has it. */
export type TraitOf = (facts: WorkloadFacts) => Trait | undefined;
