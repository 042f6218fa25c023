/*
 * Replicas that run at the same time must be able to use their claim at the same time. If they can land on different
 * nodes and the volume attaches to one, if the claim takes one pod, or if the volume leaves one place and they have to
 * keep apart, the others wait for ever, without any rollout.
 *
 * Judged: replicas (also of a scale, and the most that an autoscaler may ask for), the claims of the pod template, and the nodes on which its pods may run.
 * Allowed: one replica; one eligible node; required affinity to itself by hostname; ReadWriteMany.
 */

import type { Outcome } from '../forecast/outcome.ts';
import type { Cause, Wait } from '../forecast/reasons.ts';
import type { Workload } from '../objects/workload.ts';
import { AFFINITY_OF_MANY, LET_REACH, LET_SHARE, NEED_ANOTHER } from './remedy.ts';
import { claimsInWords, lostClaims, type Problem, type WorkloadRule } from './rule.ts';

export const replicasSplit: WorkloadRule = {
  judges: 'steady',
  meta: {
    id: 'replicas-split',
    subject: 'workloads, scale',
    severity: 'error',
    says: 'replicas that can land on different nodes share one exclusive claim, two share a ReadWriteOncePod claim, or they may not share the one place that their volume leaves; lowered to warning for replicas that only an autoscaler may ask for',
    reason: 'replicas cannot all use one claim',
    remedy:
      'Run one replica, use a ReadWriteMany claim or a claim for each pod (StatefulSet), or keep the pods on one node ' +
      'by required pod affinity to their own labels with topologyKey kubernetes.io/hostname (not for ReadWriteOncePod). ' +
      AFFINITY_OF_MANY,
    references: [
      'https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes',
      'https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/',
    ],
  },
  check(workload, { steady, autoscaled, rollout }) {
    const isSaid = ({ cause }: Wait): boolean =>
      workload.kind === 'Deployment' && isLost(cause) && rollout.waits.some((wait) => wait.cause === cause);
    const waits = steady.waits.filter((wait) => !isSaid(wait));
    const now =
      waitingFor(workload, steady) ??
      problemsOf(workload, { ...steady, waits }, podsInWords(workload), fewerPods(workload));
    if (now.length > 0 || autoscaled === undefined) return now;
    const because = 'if autoscaled';
    return problemsOf(workload, autoscaled.outcome, `${autoscaled.replicas} replicas`, 'lower maxReplicas').map(
      (problem) => ({
        ...problem,
        lowered: { severity: 'warning', because },
      }),
    );
  },
};

/** Pods of a Job that wait for each other wait until those before them have ended. */
function waitingFor(workload: Workload, { stuck, multiAttach, waits }: Outcome): readonly Problem[] | undefined {
  if (stuck || waits.length === 0) return undefined;
  const problems = problemsOf(
    workload,
    { stuck: true, multiAttach, waits },
    podsInWords(workload),
    'run one at a time',
  );
  const lowered = { severity: 'warning', because: 'until some end' } as const;
  return problems.map((problem) => ({ ...problem, lowered }));
}

function problemsOf(workload: Workload, { stuck, waits }: Outcome, pods: string, fix: string): readonly Problem[] {
  if (!stuck) return [];
  return waits
    .filter(({ claims }) => claims.length > 0)
    .map((reason) => {
      const { cause, claims, heldBy } = reason;
      if (!isLost(cause) && heldBy === 'others') {
        return { cause, detail: `others keep them off ${claimsInWords(claims, workload)}`, claims, fix: LET_SHARE };
      }
      if (!isLost(cause)) return { cause, detail: `${pods}, ${claimsInWords(claims, workload)}`, claims, fix };
      const need = cause === 'out-of-reach' ? LET_REACH : NEED_ANOTHER;
      return { cause, detail: lostClaims(reason, workload), claims, fix: need };
    });
}

/** Where no other pod of it is in the way. */
function isLost(cause: Cause): boolean {
  return cause === 'out-of-reach' || cause === 'being-deleted';
}

function podsInWords({ kind, onEveryNode, replicas }: Workload): string {
  if (onEveryNode) return 'a pod on each node';
  return kind === 'Job' || kind === 'CronJob' ? `${replicas} pods at once` : `${replicas} replicas`;
}

function fewerPods({ onEveryNode }: Workload): string {
  return onEveryNode ? 'use ReadWriteMany or one node' : 'run one, or use ReadWriteMany';
}
