import { gatherFacts } from '../facts/gather.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { sameJson } from '../objects/same-json.ts';
import type { Workload } from '../objects/workload.ts';
import type { Finding } from '../rules/evaluate.ts';
import { type Judge, judge } from '../rules/judge.ts';
import { Memo } from '../snapshot/memo.ts';
import { type Context, gatherLive } from './context.ts';

/** Everything that is found in a workload by itself. */
export type Find = (facts: WorkloadFacts) => readonly Finding[];

/** Finds the same in the same facts without judging them again. */
export function findOnce(by: Judge): Find {
  const found = new Memo<WorkloadFacts, readonly Finding[]>();
  return (facts) => found.of(facts, (one) => judge(by, one));
}

/**
 * What replicas do to each other. Pausing does not hold them back: a paused Deployment whose pods run is still scaled
 * (`pkg/controller/deployment/deployment_controller.go:syncDeployment`). A suspended Job has no pods, so that resuming it
 * is what brings the problem (`pkg/controller/job/job_controller.go:manageJob`).
 */
export function replicasFindings(find: Find, facts: WorkloadFacts): readonly Finding[] {
  const { kind, replicas, paused } = facts.workload;
  return find(running(facts, replicas, paused && kind !== 'Deployment')).filter(({ judges }) => judges === 'steady');
}

/** The facts of the workload with so many replicas, paused or not. */
function running(facts: WorkloadFacts, replicas: number, paused: boolean): WorkloadFacts {
  const { workload } = facts;
  if (workload.replicas === replicas && workload.paused === paused) return facts;
  return { ...facts, workload: { ...workload, replicas, paused } };
}

export function withReplicas(facts: WorkloadFacts, replicas: number): WorkloadFacts {
  return running(facts, replicas, facts.workload.paused);
}

export function gatherWorkload(context: Context, workload: Workload): WorkloadFacts | Promise<WorkloadFacts> {
  return gatherLive(context, (snapshot) => gatherFacts(workload, snapshot, context.deps.matrix, context.budget));
}

/** The facts of the workload as it was; those of the one that it is now where nothing that decides has changed. */
export function gatherBefore(
  context: Context,
  before: Workload,
  { asked, facts }: { readonly asked: Workload; readonly facts: WorkloadFacts },
): WorkloadFacts | Promise<WorkloadFacts> {
  const { resourceVersion, observedReplicas, isRollingOut } = before; // what the API server and controllers count decides nothing here
  const isSame = sameJson({ ...asked, resourceVersion, observedReplicas, isRollingOut }, before, context.budget);
  return isSame ? facts : gatherWorkload(context, before);
}

/**
 * What was wrong before. Replicas and pausing alone make nothing of a rollout new, so for that the old object is taken
 * with the new replicas, unpaused; what replicas do to each other is taken as it was, with its own.
 */
export function findingsBefore(find: Find, before: WorkloadFacts, after: Workload): readonly Finding[] {
  const rollout = find(running(before, after.replicas, false));
  return [...rollout.filter(({ judges }) => judges !== 'steady'), ...replicasFindings(find, before)];
}
