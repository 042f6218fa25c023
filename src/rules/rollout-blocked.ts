/*
 * A workload must be able to schedule the pods of its next rollout. While new pods stay Pending, the controller
 * keeps old ones; if a new pod cannot be scheduled for as long as an old one runs, both wait for ever, on one node too.
 *
 * Judged: strategy, replicas, ReadWriteOncePod claims and drivers that take one pod, claims that are being deleted, nodes
 * from which a volume cannot be used, affinity, anti-affinity, spread, host ports, and disks of EBS, GCE, iSCSI and RBD that are written into the pods.
 * Allowed: Recreate; maxUnavailable of at least the replicas, unless required affinity means pods of other workloads too.
 */

import type { Outcome } from '../forecast/outcome.ts';
import { type Reason, type Wait, waitsForOldPodsThatStay } from '../forecast/reasons.ts';
import { podsThatStay } from '../forecast/rolling-update.ts';
import type { Workload } from '../objects/workload.ts';
import { LET_REACH, letOldPodsGo, NEED_ANOTHER, OLD_POD_FIRST } from './remedy.ts';
import { claimsInWords, lostClaims, type WorkloadRule, waitsOfRollout } from './rule.ts';

export const rolloutBlocked: WorkloadRule = {
  judges: 'rollout',
  meta: {
    id: 'rollout-blocked',
    subject: 'Deployment, StatefulSet, DaemonSet',
    severity: 'error',
    says: 'the next rollout can stay Pending for ever: ReadWriteOncePod, or pods that must and cannot share a node; lowered to warning where one node more ends it',
    reason: 'next rollout can stay Pending',
    remedy: `${OLD_POD_FIRST} Required affinity that means pods of other workloads too holds new pods to those once the old ones have gone: let it mean its own pods alone.`,
    references: [
      'https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes',
      'https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/',
    ],
  },
  check(workload, outcomes) {
    return waitsOfRollout(workload, outcomes)
      .filter((wait) => staysSo(wait) || (wait.cause !== 'volume-elsewhere' && waitsForOldPodsThatStay(wait)))
      .map((reason) => ({
        detail: detailOf(reason, workload),
        cause: reason.cause,
        claims: reason.claims,
        fix: fixOf(reason, workload, outcomes.steady),
        ...(reason.cause === 'too-few-nodes' && { lowered: ONE_NODE_MORE }),
      }));
  },
};

/** Lowers a finding that one more node ends, which nobody meets where nodes scale by themselves. */
const ONE_NODE_MORE = { severity: 'warning', because: 'until one joins' } as const;

/** Whether pods wait that nothing would make room for by going. */
function staysSo({ cause, lasts }: Wait): boolean {
  const isLost = cause === 'others-elsewhere' || cause === 'out-of-reach' || cause === 'being-deleted';
  return isLost && lasts === 'for-ever';
}

function fixOf({ cause }: Reason, workload: Workload, steady: Outcome): string {
  // Its pods run once they are all made of the new template.
  if (workload.kind === 'StatefulSet') return letOldPodsGo(workload);
  if (cause === 'others-elsewhere') return 'let it mean their own';
  if (cause === 'out-of-reach') return LET_REACH;
  if (cause === 'being-deleted') return NEED_ANOTHER;
  // Whatever goes first, all of them can never run.
  if (steady.waits.some((reason) => reason.cause === 'no-node-left')) return runOne(workload);
  return cause === 'too-few-nodes' ? 'set maxUnavailable: 1' : letOldPodsGo(workload);
}

/** Alone, the old pod may stay in the way of the new one as well. */
function runOne(workload: Workload): string {
  return podsThatStay({ ...workload, replicas: 1 }) > 0 ? 'run one, maxUnavailable: 100%' : 'run one replica';
}

function detailOf({ cause, claims }: Reason, workload: Workload): string {
  switch (cause) {
    case 'one-pod':
    case 'volume-elsewhere':
      return `${claimsInWords(claims, workload)} ${claims.length === 1 ? 'takes' : 'take'} one pod`;
    case 'no-node-left':
      return 'pods may not share their node';
    case 'too-few-nodes':
      return 'a node per pod, none free';
    case 'out-of-reach':
    case 'being-deleted':
      return lostClaims({ cause, claims }, workload);
    case 'others-elsewhere':
      return 'their affinity means pods elsewhere too';
    default:
      return cause satisfies never;
  }
}
