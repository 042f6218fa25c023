import { idOf } from '../objects/object-key.ts';
import { claimNames, idOfWorkload, runsPods, type Workload } from '../objects/workload.ts';
import { type Context, senderOf } from './context.ts';
import { lookUpWorkloads } from './owner.ts';
import { goingOn } from './replicas-before.ts';

/** Workloads that mount a claim that is not there yet. */
export interface WaitingWorkloads {
  /** The workloads as they will run once they go on, those first in which something may be wrong. */
  readonly workloads: readonly Workload[];
  /** The ids of those workloads that are only remembered from a dry run. */
  readonly dryRun: ReadonlySet<string>;
  /** Why there may be more of them. */
  readonly unknown: readonly string[];
}

/** How many workloads are looked at, and how many read from the API server: each costs as much as a decision. */
const MOST_WAITING = 16;

/**
 * The watched workloads that wait for the claim, and those that were admitted here a moment ago. What is remembered may
 * be of a review that never came from the API server, so it says only whom to ask for. In a dry run, what the same user
 * dry-ran counts too.
 */
export async function workloadsWaitingFor(
  context: Context,
  namespace: string,
  claim: string,
): Promise<WaitingWorkloads> {
  const { deps, request } = context;
  const { user, dryRun } = senderOf(request);
  const latest = new Map<string, Workload>();
  const add = (workload: Workload): void => void latest.set(idOfWorkload(workload), workload);
  for (const workload of deps.snapshot.workloadsMounting(namespace, claim).workloads) add(workload);
  const unknown: string[] = [];
  const refs = deps.recent.workloadsMounting(namespace, claim).slice(-MOST_WAITING);
  for (const { found, ...ref } of refs.length === 0 ? [] : await lookUpWorkloads(context, refs)) {
    if (!found.known && !latest.has(idOf(ref))) unknown.push(found.because);
    if (found.known) latest.delete(idOf(ref));
    if (found.known && found.value !== undefined && claimNames(found.value).includes(claim)) add(found.value);
  }
  const remembered = dryRun ? deps.recent.dryRunWorkloadsMounting(user, namespace, claim) : [];
  for (const workload of remembered) add(workload);
  const inOneOrder = [...latest.keys()].sort().flatMap((id) => latest.get(id) ?? []); // in whatever order they were watched
  const all = inOneOrder
    .map((workload) => goingOn(workload, workload.observedReplicas))
    .filter(runsPods)
    .sort(byRisk);
  const more = all.length - MOST_WAITING;
  if (more > 0) {
    unknown.push(`${more} more workloads that mount ${claim} were not looked at`);
    context.budget.giveUp();
  }
  return { workloads: all.slice(0, MOST_WAITING), dryRun: new Set(remembered.map(idOfWorkload)), unknown };
}

function byRisk(one: Workload, other: Workload): number {
  return riskOf(other) - riskOf(one);
}

function riskOf({ replicas, onEveryNode, strategy }: Workload): number {
  if (replicas > 1 || onEveryNode) return 2;
  return replicas === 1 && strategy.type === 'RollingUpdate' ? 1 : 0;
}
