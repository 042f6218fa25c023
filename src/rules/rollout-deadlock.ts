/*
 * A workload must be able to finish its next rollout. While new pods cannot start, the controller keeps old ones; if
 * an old pod holds a volume that only one node may attach, and a new pod can land on another node, both wait for ever.
 *
 * Judged: strategy, replicas, the claims of the pod template, and the nodes on which its pods may run.
 * Allowed: a StatefulSet whose pods stay where the volume is; Recreate; maxUnavailable of at least the replicas; one eligible node; required affinity to itself by
 * hostname, where old pods are on one node; volumes that several nodes may attach, or that are not attached at all.
 */
import { waitsForOldPodsThatStay } from '../forecast/reasons.ts';
import { AFFINITY_OF_MANY, BRING_TOGETHER, letOldPodsGo, OLD_POD_FIRST } from './remedy.ts';
import { claimsInWords, type WorkloadRule, waitsOfRollout } from './rule.ts';

export const rolloutDeadlock: WorkloadRule = {
  judges: 'rollout',
  meta: {
    id: 'rollout-deadlock',
    subject: 'Deployment, StatefulSet',
    severity: 'error',
    says: 'the next rollout can wait for ever: new pods need a volume that old pods hold on another node',
    reason: 'next rollout can wait for ever',
    remedy: `${OLD_POD_FIRST} ${AFFINITY_OF_MANY}`,
    references: [
      'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy',
      'https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes',
    ],
  },
  check(workload, outcomes) {
    // Pods of a DaemonSet stay where they are.
    if (workload.onEveryNode) return [];
    return waitsOfRollout(workload, outcomes)
      .filter((wait) => wait.cause === 'volume-elsewhere' && waitsForOldPodsThatStay(wait))
      .map(({ cause, claims, heldBy }) => ({
        cause,
        detail: `${claimsInWords(claims, workload)} on another node`,
        claims,
        fix: heldBy === 'old-pods-apart' ? BRING_TOGETHER : letOldPodsGo(workload),
      }));
  },
};
