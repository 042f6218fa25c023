import type { WorkloadFacts } from '../facts/gather.ts';
import type { JsonObject } from '../facts/json.ts';
import { type Fix, fixesFor } from '../mutations/fix.ts';
import type { Finding } from '../rules/evaluate.ts';
import { replicasSplit } from '../rules/replicas-split.ts';
import { rolloutBlocked } from '../rules/rollout-blocked.ts';
import { rolloutDeadlock } from '../rules/rollout-deadlock.ts';
import { rolloutTransient } from '../rules/rollout-transient.ts';

const FIXABLE: ReadonlySet<string> = new Set(
  [rolloutDeadlock, rolloutBlocked, rolloutTransient, replicasSplit].map(({ meta }) => meta.id),
);

/**
 * The change after which a manifest has none of the findings that a change can end; `undefined` where it has none, or
 * where none of the changes ends them all, so that nobody is left with a strategy for replicas that cannot run.
 * `findingsOf` gives the findings that count, without those that somebody exempted.
 */
export function fixOf(
  facts: WorkloadFacts,
  object: JsonObject,
  findingsOf: (facts: WorkloadFacts) => readonly Finding[],
): Fix | undefined {
  const isClean = (workload: WorkloadFacts['workload']): boolean =>
    !findingsOf({ ...facts, workload }).some(({ rule }) => FIXABLE.has(rule.id));
  if (isClean(facts.workload)) return undefined;
  return fixesFor(facts, object).find(({ workload }) => isClean(workload));
}
