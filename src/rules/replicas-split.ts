/*
 * Replicas that run at the same time must be able to use their claim at the same time. If they can land on different
 * nodes and the volume attaches to one, if the claim takes one pod, or if the volume leaves one place and they have to
 * keep apart, the others wait for ever, without any rollout.
 *
 * Judged: replicas (also of a scale, and the most that an autoscaler may ask for), the claims of the pod template, and the nodes on which its pods may run.
 * Allowed: one replica; one eligible node; required affinity to itself by hostname; ReadWriteMany.
 */

import type { Outcome } from '../forecast/outcome.ts';
import type { Cause, Reason, Wait } from '../forecast/reasons.ts';
import { podsThatStay } from '../forecast/rolling-update.ts';
import type { Workload } from '../objects/workload.ts';
import {
  AFFINITY_OF_MANY,
  type Fix,
  type Fixes,
  LET_REACH,
  LET_SHARE,
  NEED_ANOTHER,
  RUN_ONE_AND_RECREATE,
} from './remedy.ts';
import {
  attachedToOne,
  claimsInWords,
  letInOne,
  lostClaims,
  type Problem,
  type WorkloadRule,
  whyLost,
} from './rule.ts';

export const replicasSplit: WorkloadRule = {
  judges: 'steady',
  meta: {
    id: 'replicas-split',
    subject: 'workloads, also as they are scaled',
    severity: 'error',
    brief: 'not all replicas can use their claim at once',
    says: 'replicas that can land on different nodes share one exclusive claim, two share a ReadWriteOncePod claim, or they may not share the one place that their volume leaves; lowered to warning for replicas that only an autoscaler may ask for',
    reason: 'its pods cannot all run at once',
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
    const now = waitingFor(workload, steady) ?? problemsOf(workload, { ...steady, waits }, asWritten(workload));
    if (now.length > 0 || autoscaled === undefined) return now;
    return problemsOf(workload, autoscaled.outcome, asAutoscaled(autoscaled.replicas)).map((problem) => ({
      ...problem,
      lowered: { severity: 'warning', because: 'if autoscaled' },
    }));
  },
};

/** Pods that run at once, and how there may be fewer. */
interface Pods {
  readonly pods: string;
  readonly fewer: Fixes;
  readonly wait: string;
}

function asWritten(workload: Workload): Pods {
  return { pods: podsInWords(workload), fewer: fewerPods(workload), wait: 'wait for ever' };
}

function asAutoscaled(replicas: number): Pods {
  const fewer = { fix: LOWER_MAX, or: READ_WRITE_MANY };
  return { pods: `${replicas} replicas`, fewer, wait: 'wait for ever once it scales up' };
}

const LOWER_MAX: Fix = { short: 'lower maxReplicas', written: 'spec.maxReplicas: 1 of its HorizontalPodAutoscaler' };

/** Pods of a Job that wait for each other wait until those before them have ended. */
function waitingFor(workload: Workload, { stuck, multiAttach, waits }: Outcome): readonly Problem[] | undefined {
  if (stuck || waits.length === 0) return undefined;
  const { fewer, ...written } = asWritten(workload);
  const oneAtATime = { ...fewer, fix: { ...fewer.fix, short: 'run one at a time' } };
  const pods = { ...written, fewer: oneAtATime, wait: 'wait until some have ended' };
  const lowered = { severity: 'warning', because: 'until some end' } as const;
  return problemsOf(workload, { stuck: true, multiAttach, waits }, pods).map((problem) => ({ ...problem, lowered }));
}

function problemsOf(workload: Workload, { stuck, waits }: Outcome, pods: Pods): readonly Problem[] {
  if (!stuck) return [];
  return waits
    .filter(({ claims }) => claims.length > 0)
    .map((reason) => {
      const { cause, claims, heldBy } = reason;
      if (isLost(cause)) {
        const fix = cause === 'out-of-reach' ? LET_REACH : NEED_ANOTHER;
        return { cause, detail: lostClaims(reason, workload), why: whyLost(reason, workload), claims, fix };
      }
      if (heldBy === 'others') {
        const held = claimsInWords(claims, workload);
        const why = `another workload keeps its pods off every node where ${held} can be used: they ${pods.wait}`;
        return { cause, detail: `others keep its pods off ${held}`, why, claims, fix: LET_SHARE };
      }
      const detail = `${pods.pods} cannot all use ${claimsInWords(claims, workload)}`;
      return { cause, detail, why: whyNotAll(reason, workload, pods), claims, ...pods.fewer };
    });
}

function whyNotAll({ cause, claims }: Reason, workload: Workload, { pods, wait }: Pods): string {
  const all = claimsInWords(claims, workload);
  if (cause === 'one-pod') return `${letInOne(claims, workload)}: of ${pods} one runs, and the others ${wait}`;
  if (cause !== 'volume-elsewhere')
    return `pods may not share a place, and ${all} can be used in too few: some ${wait}`;
  const where = workload.onEveryNode ? 'pods run on each node' : `${pods} may run on different nodes`;
  return `${where}, but all need ${attachedToOne(claims, workload)}: those on a second node ${wait}`;
}

/** Where no other pod of it is in the way. */
function isLost(cause: Cause): boolean {
  return cause === 'out-of-reach' || cause === 'being-deleted';
}

function podsInWords({ kind, onEveryNode, replicas }: Workload): string {
  if (onEveryNode) return 'pods on each node';
  return kind === 'Job' || kind === 'CronJob' ? `${replicas} pods at once` : `${replicas} replicas`;
}

const READ_WRITE_MANY = 'a ReadWriteMany claim';

function fewerPods(workload: Workload): Fixes {
  switch (workload.kind) {
    case 'DaemonSet':
      return {
        fix: { short: 'use ReadWriteMany or one node', written: READ_WRITE_MANY },
        or: 'a node selector of one node',
      };
    case 'Job':
      return { fix: runOne('spec.parallelism: 1'), or: READ_WRITE_MANY };
    case 'CronJob':
      return { fix: runOne('spec.jobTemplate.spec.parallelism: 1'), or: READ_WRITE_MANY };
    case 'StatefulSet':
      return {
        fix: runOne('spec.replicas: 1'),
        or: 'a claim for each pod by volumeClaimTemplates, or a ReadWriteMany one',
      };
    case 'Deployment':
      // Alone, the old pod may stay in the way of the new one as well.
      if (podsThatStay({ ...workload, replicas: 1 }) > 0) return { fix: RUN_ONE_AND_RECREATE, or: READ_WRITE_MANY };
      return { fix: runOne('spec.replicas: 1'), or: READ_WRITE_MANY };
    case 'ReplicaSet':
      return { fix: runOne('spec.replicas: 1'), or: READ_WRITE_MANY };
    default:
      return workload.kind satisfies never;
  }
}

function runOne(written: string): Fix {
  return { short: 'run one, or use ReadWriteMany', written };
}
