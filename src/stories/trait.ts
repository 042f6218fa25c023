import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import type { Workload } from '../objects/workload.ts';

/** What may save a workload, and the workload without it. */
export interface Trait {
  readonly because: string;
  readonly without: (facts: WorkloadFacts) => WorkloadFacts;
  /** What it saves from in the first place: all pods at once, else a rollout. */
  readonly isAboutAll?: true;
}

/** The trait, where the workload has it. */
export type TraitOf = (facts: WorkloadFacts) => Trait | undefined;

export function withWorkload(facts: WorkloadFacts, changed: Partial<Workload>): WorkloadFacts {
  return { ...facts, workload: { ...facts.workload, ...changed } };
}

export function withTemplate(facts: WorkloadFacts, changed: Partial<PodTemplate>): WorkloadFacts {
  return withWorkload(facts, { template: { ...facts.workload.template, ...changed } });
}
