/*
 * Replicas that run at the same time must be able to use their claim at the same time. If they can land on different
 * nodes and the volume attaches to one, or if the claim takes one pod, the others wait for ever, without any rollout.
 *
 * Judged: replicas (also of a scale), the claims of the pod template, and the nodes on which its pods may run.
 * Allowed: one replica; one eligible node; required affinity to itself by hostname; ReadWriteMany.
 */
import { claimsInWords, type WorkloadRule } from './rule.ts';

export const replicasSplit: WorkloadRule = {
  judges: 'steady',
  meta: {
    id: 'replicas-split',
    subject: 'Deployment, scale',
    severity: 'error',
    says: 'replicas that can land on different nodes share one exclusive claim, or two share a ReadWriteOncePod claim',
    reason: 'replicas cannot all use one claim',
    remedy:
      'Run one replica, use a ReadWriteMany claim or a claim for each pod (StatefulSet), or keep the pods on one node ' +
      'by required pod affinity to their own labels with topologyKey kubernetes.io/hostname (not for ReadWriteOncePod).',
    references: [
      'https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes',
      'https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/',
    ],
  },
  check(workload, { steady }) {
    if (!steady.stuck) return [];
    return steady.reasons
      .filter(({ cause }) => cause !== 'no-node-left')
      .map(({ claims }) => ({
        detail: `${workload.replicas} replicas, ${claimsInWords(claims)}`,
        claims,
        fix: 'run one, or use ReadWriteMany',
      }));
  },
};
