import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { type Fix, fixesFor } from '../mutations/fix.ts';
import type { JsonObject } from '../objects/json.ts';
import type { Finding } from '../rules/evaluate.ts';
import { RECREATE } from '../rules/remedy.ts';
import { replicasSplit } from '../rules/replicas-split.ts';
import { rolloutBlocked } from '../rules/rollout-blocked.ts';
import { rolloutDeadlock } from '../rules/rollout-deadlock.ts';
import { rolloutTransient } from '../rules/rollout-transient.ts';

const FIXABLE: ReadonlySet<string> = new Set(
  [rolloutDeadlock, rolloutBlocked, rolloutTransient, replicasSplit].map(({ meta }) => meta.id),
);

/**
 * Whether `--fix` writes Recreate for these findings of one manifest: all that it can end ask for that, of a Deployment of one
 * replica without an owner. It still leaves what it cannot edit, and says so.
 */
export function writesRecreate({ workload, autoscaledTo }: WorkloadFacts, found: readonly Finding[]): boolean {
  const { kind, metadata, replicas } = workload;
  if (kind !== 'Deployment' || metadata.controller !== undefined || replicas > 1) return false;
  if (autoscaledTo.known && autoscaledTo.value > 1) return false;
  return found.every(({ rule, fix }) => !FIXABLE.has(rule.id) || fix === RECREATE);
}

/** A manifest stays as it is. */
export interface NoFix {
  readonly because: string;
  readonly byHand: string;
}

/**
 * The change after which a manifest has none of the findings that a change can end; `undefined` where it has none. Where
 * none of the changes ends them all, nothing is changed, so that nobody is left with a strategy for replicas that cannot
 * run. `findingsOf` gives the findings that count, without those that somebody exempted.
 */
export function fixOf(
  facts: WorkloadFacts,
  object: JsonObject,
  findingsOf: (facts: WorkloadFacts) => readonly Finding[],
): Fix | NoFix | undefined {
  const isClean = (workload: WorkloadFacts['workload']): boolean =>
    !findingsOf({ ...facts, workload }).some(({ rule }) => FIXABLE.has(rule.id));
  if (isClean(facts.workload)) return undefined;
  const fixes = fixesFor(facts, object);
  return fixes.find(({ workload }) => isClean(workload)) ?? whyNot(facts, fixes);
}

/** Why a Deployment is not fixed. Nothing is written into other kinds, whatever is found. */
function whyNot({ workload, claims }: WorkloadFacts, fixes: readonly Fix[]): NoFix | undefined {
  if (workload.kind !== 'Deployment') return undefined;
  if (workload.metadata.controller !== undefined) return { because: 'it has an owner', byHand: 'change that one' };
  const several = workload.replicas > 1;
  if (several && claims.some(({ onePod }) => onePod.known && onePod.value))
    return { because: 'its claim takes one pod', byHand: 'run one replica' };
  if (several && fixes.length === 0)
    return { because: 'its replicas may not all share a node', byHand: 'run one replica, or use ReadWriteMany' };
  return { because: 'neither Recreate nor pod affinity would end every finding', byHand: 'follow the remedies' };
}
