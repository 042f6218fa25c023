import type { WorkloadFacts } from '../facts/workload-facts.ts';

/** What there is to know about the pods that run already. */
export interface Running {
  /** Their template and claims, where a new one replaces it. */
  readonly before?: WorkloadFacts | undefined;
  /** The nodes they are on. Then today's cordons count for new pods, and only the rollout in question is looked at. */
  readonly places?: ReadonlySet<string> | undefined;
}
