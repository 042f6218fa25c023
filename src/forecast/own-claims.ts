import type { Claim } from '../facts/claim.ts';
import { placeKey } from '../facts/claim-facts.ts';
import type { PodFacts } from '../facts/workload-facts.ts';
import { isSameWorkload } from '../objects/workload.ts';
import type { Arrival } from './placement.ts';

/**
 * Pods of a StatefulSet each have volumes for themselves, which hold them where those can be used: every two different
 * pods with their own, and of those that are held alike only two.
 */
export function pairsWithTheirOwn<Pods extends Arrival>(pods: Pods): readonly Pods[] {
  const { incoming, running } = pods;
  if (incoming.ownClaims.length + running.ownClaims.length === 0) return [pods];
  const [come, run] = [ownOf(incoming), ownOf(running)];
  incoming.budget.spend(come.length * run.length + [...come, ...run].flat().length * OPERATIONS_OF_A_PLACE);
  const [comesAs, runsAs] = [come, run].map((each) => each.map((claims) => JSON.stringify(claims.map(placeKey))));
  const pairs = new Map<string, Pods>();
  for (const [at, comes] of come.entries()) {
    for (const [other, runs] of run.entries()) {
      if (at === other && isSameWorkload(incoming.workload, running.workload)) continue;
      const key = `${comesAs?.[at]} ${runsAs?.[other]}`;
      pairs.set(key, { ...pods, incoming: withClaims(incoming, comes), running: withClaims(running, runs) });
    }
  }
  return [...pairs.values()];
}

/** To write down where a volume can be used, for it to be compared. */
const OPERATIONS_OF_A_PLACE = 10;

export function withClaims(facts: PodFacts, more: readonly Claim[]): PodFacts {
  return { ...facts, claims: [...facts.claims, ...more] };
}

/** Of a pod that is still to come there may be none yet. */
function ownOf({ ownClaims, workload }: PodFacts): PodFacts['ownClaims'] {
  return ownClaims.length === 0 || ownClaims.length < workload.replicas ? [...ownClaims, []] : ownClaims;
}
