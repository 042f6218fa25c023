import type { Budget } from '../budget.ts';
import type { Fact } from '../objects/fact.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import type { NodeSelectorTerm } from '../objects/selector.ts';
import type { Workload } from '../objects/workload.ts';
import type { Claim, Place } from './claim.ts';
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
  /** Other workloads in the namespaces that its required affinity looks into; it may mean their pods. None where it has none. */
  readonly bystanders: Fact<readonly Bystander[]>;
  /** What a node has to match to be beside pods of others, where required affinity means those alone: each of these. */
  readonly beside: readonly (readonly NodeSelectorTerm[])[];
  /** The places in which volumes that are not bound yet are assumed to be, in the case that is looked at. */
  readonly placed: readonly Place[];
  readonly nodes: Fact<NodeSearch>;
  readonly namespaceLabels: Fact<ReadonlyMap<string, string>>;
  /** What questions about these pods may cost, those about others in the same review included. */
  readonly budget: Budget;
}

/** What tells whether a term means the pods of a workload, and where they may be. */
export type Bystander = Pick<PodFacts, 'workload' | 'namespaceLabels'>;

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
