import type { Budget } from '../budget.ts';
import type { Fact } from '../objects/fact.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import type { Workload } from '../objects/workload.ts';
import type { Claim } from './claim.ts';
import type { NodeSearch } from './node-search.ts';

/** What decides where the pods of a workload may run and which volumes they hold. */
export interface PodFacts {
  readonly workload: Workload;
  /** The volumes that its pods share, each once. */
  readonly claims: readonly Claim[];
  /** For each pod, the volumes that are its own and pass on to its replacement; empty while no pod has any. */
  readonly ownClaims: readonly (readonly Claim[])[];
  /** What the other pods of the workload look like, where only one of several is meant. */
  readonly siblings: PodTemplate | undefined;
  readonly nodes: Fact<NodeSearch>;
  readonly namespaceLabels: Fact<ReadonlyMap<string, string>>;
  /** What questions about these pods may cost, those about others in the same review included. */
  readonly budget: Budget;
}

/** Everything a forecast for one workload is made from. */
export interface WorkloadFacts extends PodFacts {
  /** Other workloads that run pods with one of its volumes. */
  readonly otherUsers: OtherUsers;
  /** Pods of others that decide where its own may be, by affinity, anti-affinity, spread or host ports of either. */
  readonly nearby: OtherUsers;
  /** The most replicas that an autoscaler may ask for; none where there is no autoscaler. */
  readonly autoscaledTo: Fact<number>;
}

export interface OtherUsers {
  readonly pods: readonly PodFacts[];
  /** Why there may be more of them. */
  readonly unknown: readonly string[];
}
