import { idOf } from '../objects/object-key.ts';
import type { Finding } from './evaluate.ts';

/**
 * The findings as people read them: replicas that cannot all run hang the next rollout too, for the same cause and claims, and
 * what mends the replicas mends the rollout, so that the two are one. Everything else stays as it was found.
 */
export function readAsOne(found: readonly Finding[]): readonly Finding[] {
  return [...byCause(found)].map(([finding, led]) =>
    led.length === 0 ? finding : { ...finding, also: led.map(({ rule }) => rule) },
  );
}

/** The findings that tell of one cause each, in their order, with those that would only tell of it once more. */
export function byCause(found: readonly Finding[]): ReadonlyMap<Finding, readonly Finding[]> {
  const split = new Map(
    found.filter(({ judges }) => judges === 'steady').map((finding) => [causeOf(finding), finding]),
  );
  const leaderOf = (finding: Finding): Finding =>
    (finding.judges === 'rollout' && finding.cause !== undefined && split.get(causeOf(finding))) || finding;
  const led = Map.groupBy(
    found.filter((finding) => leaderOf(finding) !== finding),
    leaderOf,
  );
  return new Map(
    found.filter((finding) => leaderOf(finding) === finding).map((finding) => [finding, led.get(finding) ?? []]),
  );
}

function causeOf({ object, severity, cause, claims }: Finding): string {
  return JSON.stringify([idOf(object), severity, cause, claims.toSorted()]);
}

/** The ids of the rules that found it, the one that tells of it first. */
export function ruleIdsOf({ rule, also = [] }: Pick<Finding, 'rule' | 'also'>): readonly string[] {
  return [...new Set([rule, ...also].map(({ id }) => id))];
}
