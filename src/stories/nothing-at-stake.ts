import type { WorkloadFacts } from '../facts/workload-facts.ts';

/** Why nothing can go wrong with the volumes of a workload, whatever its strategy; `undefined` where something might. */
export function nothingAtStake(facts: WorkloadFacts): string | undefined {
  const { workload, claims, ownClaims, nodes, budget } = facts;
  const { kind, paused, replicas, metadata, ownClaims: own } = workload;
  if (metadata.deleting) return 'it is being deleted and creates no more pods';
  if (replicas === 0)
    return kind === 'Job' ? 'it has finished, or wants no pods' : 'replicas is 0, so no pod is created';
  if (paused)
    return kind === 'Deployment' ? 'it is paused, so no new pod is created' : 'it is suspended, so no pod is created';
  if (claims.length === 0 && ownClaims.length === 0) {
    return own.prefixes.length > 0
      ? 'each of its pods has volumes of its own, which the pod of that name takes over when it comes again'
      : 'its pods share no volume: there is nothing that one could hold and another wait for';
  }
  if (!nodes.known) return undefined;
  const isNowhere = budget.answer(() => nodes.value.landing(facts).size === 0, false);
  return isNowhere ? 'no node takes its pods, so nothing can be said of where they run' : undefined;
}
