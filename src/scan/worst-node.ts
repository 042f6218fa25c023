import { isAttachedToOne } from '../forecast/assumption.ts';
import { keyOf } from '../objects/object-key.ts';
import { claimNames, holdsVolumes, idOfWorkload, type Workload } from '../objects/workload.ts';
import type { WorstNode } from '../report/scan-report.ts';
import { claimNow } from './claim-now.ts';
import type { Standings } from './judge-standing.ts';

type By = Pick<Standings, 'snapshot' | 'pods' | 'matrix'>;

/**
 * The node at whose failure the most workloads with volumes hang until somebody acts: a StatefulSet's pod is made again once
 * the old one is gone, and any other waits for a volume that the dead node keeps. How it comes about is told by `what-if`.
 */
export function worstNode(workloads: readonly Workload[], by: By): WorstNode | undefined {
  const exclusive = new Map<string, boolean>();
  const isExclusive = (namespace: string, claim: string): boolean => {
    const key = keyOf(namespace, claim);
    const known = exclusive.get(key) ?? isForOneNode(namespace, claim, by);
    exclusive.set(key, known);
    return known;
  };
  const hanging = new Map<string, Set<string>>();
  for (const workload of workloads) {
    const { kind, metadata } = workload;
    if (kind === 'DaemonSet' || !holdsVolumes(workload)) continue;
    const holds = claimNames(workload).some((claim) => isExclusive(metadata.namespace, claim));
    if (kind !== 'StatefulSet' && !holds) continue;
    for (const { nodeName, deleting } of by.pods?.of(workload) ?? []) {
      if (nodeName === undefined || deleting) continue;
      const there = hanging.get(nodeName) ?? new Set();
      hanging.set(nodeName, there.add(idOfWorkload(workload)));
    }
  }
  const [worst] = [...hanging].sort(
    ([one, some], [other, others]) => others.size - some.size || (one < other ? -1 : 1),
  );
  return worst && { node: worst[0], hanging: worst[1].size };
}

function isForOneNode(namespace: string, claim: string, by: By): boolean {
  const facts = claimNow(namespace, claim, by);
  return facts !== undefined && isAttachedToOne(facts, 'harmless');
}
