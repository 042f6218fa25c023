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
import {
  type Fix,
  type Fixes,
  LET_REACH,
  letOldPodsGo,
  NEED_ANOTHER,
  OLD_POD_FIRST,
  RUN_ONE_AND_RECREATE,
} from './remedy.ts';
import { claimsInWords, letInOne, lostClaims, type WorkloadRule, waitsOfRollout, whyLost } from './rule.ts';

export const rolloutBlocked: WorkloadRule = {
  judges: 'rollout',
  meta: {
    id: 'rollout-blocked',
    subject: 'Deployment, StatefulSet, DaemonSet',
    severity: 'error',
    brief: 'new pods stay Pending while old ones wait for them',
    says: 'the next rollout can stay Pending for ever: ReadWriteOncePod, or pods that must and cannot share a node; lowered to warning where one node more ends it',
    reason: 'its next rollout can stay Pending for ever',
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
        why: whyPending(reason, workload),
        cause: reason.cause,
        claims: reason.claims,
        ...fixesFor(reason, workload, outcomes.steady),
        ...(reason.cause === 'too-few-nodes' && { reason: 'its next rollout can stay Pending' }),
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

function fixesFor({ cause }: Reason, workload: Workload, steady: Outcome): Fixes {
  // Its pods run once they are all made of the new template.
  if (workload.kind === 'StatefulSet') return letOldPodsGo(workload);
  if (cause === 'others-elsewhere') return { fix: MEAN_THEIR_OWN };
  if (cause === 'out-of-reach') return { fix: LET_REACH };
  if (cause === 'being-deleted') return { fix: NEED_ANOTHER };
  // Whatever goes first, all of them can never run.
  if (steady.waits.some((reason) => reason.cause === 'no-node-left')) return { fix: runOne(workload) };
  // Once the old ones have gone, they wait for pods of others.
  if (steady.waits.some((reason) => reason.cause === 'others-elsewhere')) return { fix: MEAN_THEIR_OWN_AND_RECREATE };
  if (cause === 'too-few-nodes') return { fix: LET_ONE_GO };
  return letOldPodsGo(workload);
}

const MEAN_THEIR_OWN: Fix = {
  short: 'let it mean its own',
  written: 'a labelSelector of their required podAffinity that means their own pods alone',
};

const MEAN_THEIR_OWN_AND_RECREATE: Fix = {
  short: 'let it mean its own, with Recreate',
  written: `${MEAN_THEIR_OWN.written}, and spec.strategy: {type: Recreate}`,
  recreates: true,
};

const LET_ONE_GO: Fix = {
  short: 'set maxUnavailable: 1',
  written: 'spec.strategy.rollingUpdate: {maxUnavailable: 1}',
};

const RUN_ONE: Fix = { short: 'run one replica', written: 'spec.replicas: 1' };

/** Alone, the old pod may stay in the way of the new one as well. */
function runOne(workload: Workload): Fix {
  return podsThatStay({ ...workload, replicas: 1 }) > 0 ? RUN_ONE_AND_RECREATE : RUN_ONE;
}

const STAYS = 'next rollout can stay Pending';

function detailOf({ cause, claims }: Reason, workload: Workload): string {
  switch (cause) {
    case 'one-pod':
    case 'volume-elsewhere':
      return `${STAYS} (${claimsInWords(claims, workload)} ${claims.length === 1 ? 'takes' : 'take'} one pod)`;
    case 'no-node-left':
      return `${STAYS} (pods may not share a node)`;
    case 'too-few-nodes':
      return 'next rollout can wait for a free node';
    case 'out-of-reach':
    case 'being-deleted':
      return `${STAYS} (${lostClaims({ cause, claims }, workload)})`;
    case 'others-elsewhere':
      return `${STAYS} (affinity means others too)`;
    default:
      return cause satisfies never;
  }
}

function whyPending(reason: Reason, workload: Workload): string {
  const { cause, claims } = reason;
  const last = workload.replicas > 1 ? LASTING_MANY : LASTING;
  switch (cause) {
    case 'one-pod':
    case 'volume-elsewhere':
      return `${letInOne(claims, workload)}: ${last}`;
    case 'no-node-left':
      return `new pods fit only where old ones run, and may not share that place: ${last}`;
    case 'too-few-nodes':
      return 'each pod needs a place of its own, and none is free for a new one until a node joins';
    case 'out-of-reach':
    case 'being-deleted':
      return whyLost(reason, workload);
    case 'others-elsewhere':
      return 'their required pod affinity means pods of other workloads too, which run where these may not';
    default:
      return cause satisfies never;
  }
}

const LASTING = 'the new pod waits for the old one to end, and that stays until the new one is ready';
const LASTING_MANY = 'new pods wait for old ones to end, and those stay until new ones are ready';
