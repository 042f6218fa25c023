/*
 * A workload must be able to finish its next rollout. While new pods cannot start, the controller keeps old ones; if
 * an old pod holds a volume that only one node may attach, and a new pod can land on another node, both wait for ever.
 *
 * Judged: strategy, replicas, the claims of the pod template, and the nodes on which its pods may run.
 * Allowed: a StatefulSet whose pods stay where the volume is; Recreate; maxUnavailable of at least the replicas; one eligible node; required affinity to itself by
 * hostname, where old pods are on one node; volumes that several nodes may attach, or that are not attached at all.
 */
import { type Wait, waitsForOldPodsThatStay } from '../forecast/reasons.ts';
import type { Workload } from '../objects/workload.ts';
import { AFFINITY_OF_MANY, COME_TOGETHER, letOldPodsGo, OLD_POD_FIRST } from './remedy.ts';
import { attachedToOne, claimsInWords, type WorkloadRule, waitsOfRollout } from './rule.ts';

export const rolloutDeadlock: WorkloadRule = {
  judges: 'rollout',
  meta: {
    id: 'rollout-deadlock',
    subject: 'Deployment, StatefulSet',
    severity: 'error',
    brief: 'new pods wait for a volume held on another node',
    says: 'the next rollout can wait for ever: new pods need a volume that old pods hold on another node',
    reason: 'its next rollout can hang for ever',
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
      .map((wait) => ({
        cause: wait.cause,
        detail: `next rollout can hang (${claimsInWords(wait.claims, workload)} on another node)`,
        why: whyHeld(wait, workload),
        claims: wait.claims,
        ...(wait.heldBy === 'old-pods-apart' ? { fix: COME_TOGETHER } : letOldPodsGo(workload)),
      }));
  },
};

function whyHeld({ claims, heldBy }: Wait, workload: Workload): string {
  const held = attachedToOne(claims, workload);
  if (heldBy === 'old-pods-apart')
    return `old pods may run on several nodes, and a new pod beside one of them cannot take over ${held}`;
  return workload.replicas > 1
    ? `new pods may start on another node while old pods still hold ${held}`
    : `the new pod may start on another node while the old pod still holds ${held}`;
}
