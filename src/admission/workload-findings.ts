import { gatherFacts } from '../facts/gather.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { Workload } from '../objects/workload.ts';
import type { Finding } from '../rules/evaluate.ts';
import { judge } from '../rules/judge.ts';
import type { Rule } from '../rules/rule.ts';
import { type Context, gatherLive } from './context.ts';

/**
 * What replicas do to each other. Pausing does not hold them back: a paused Deployment whose pods run is still scaled
 * (`pkg/controller/deployment/deployment_controller.go:syncDeployment`). A suspended Job has no pods, so that resuming it
 * is what brings the problem (`pkg/controller/job/job_controller.go:manageJob`).
 */
export function replicasFindings(rules: readonly Rule[], facts: WorkloadFacts): readonly Finding[] {
  const { kind, paused } = facts.workload;
  const workload = { ...facts.workload, paused: paused && kind !== 'Deployment' };
  return judge(rules, { ...facts, workload }).filter(({ judges }) => judges === 'steady');
}

export function withReplicas(facts: WorkloadFacts, replicas: number): WorkloadFacts {
  return { ...facts, workload: { ...facts.workload, replicas } };
}

export function gatherWorkload(context: Context, workload: Workload): Promise<WorkloadFacts> {
  return gatherLive(context, (snapshot) => gatherFacts(workload, snapshot, context.deps.matrix, context.budget));
}

/**
 * What was wrong before. Replicas and pausing alone make nothing of a rollout new, so for that the old object is taken
 * with the new replicas, unpaused; what replicas do to each other is taken as it was, with its own.
 */
export function findingsBefore(rules: readonly Rule[], before: WorkloadFacts, after: Workload): readonly Finding[] {
  const running = { ...before.workload, replicas: after.replicas, paused: false };
  const rollout = judge(rules, { ...before, workload: running });
  return [...rollout.filter(({ judges }) => judges !== 'steady'), ...replicasFindings(rules, before)];
}
