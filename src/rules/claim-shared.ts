/*
 * A claim that one node may attach is one workload's business. Where a second workload, or the next run of a CronJob,
 * uses it too and nothing keeps both on one node, whichever comes second waits for as long as the first one runs. Pod
 * affinity keeps only the pods that have it: a companion that was held to this workload stays where it is when these
 * pods come again elsewhere.
 *
 * Judged: all workloads that run pods with the claim, or with another claim for the same disk, and where they may land.
 * Allowed: one eligible node; required affinity of this workload to the other's labels by hostname, if the other has none
 * to this one's, or of both to a label that both carry; finished, suspended and empty workloads; ReadWriteMany.
 */

import type { SharedWith } from '../forecast/outcome.ts';
import type { Cause, Reason } from '../forecast/reasons.ts';
import type { Workload } from '../objects/workload.ts';
import type { Fix } from './remedy.ts';
import { attachedToOne, claimsInWords, letInOne, type Problem, type WorkloadRule } from './rule.ts';

export const claimShared: WorkloadRule = {
  judges: 'steady',
  meta: {
    id: 'claim-shared',
    subject: 'workloads, claims',
    severity: 'warning',
    brief: 'another workload, or CronJob run, uses the claim too',
    says: 'two workloads, or overlapping runs of one CronJob, use one exclusive claim and nothing holds the pods of this one to the node of the other; containers of one pod do, or a node selector of both',
    reason: 'another workload uses its claim too',
    remedy:
      'Give each workload a claim of its own or a ReadWriteMany one, set concurrencyPolicy: Forbid on a CronJob whose runs ' +
      'overlap, run both as containers of one pod, or, but for ReadWriteOncePod, keep both on one node: by a node selector, or ' +
      'by required pod affinity of both, with topologyKey kubernetes.io/hostname, to a label that both carry. Affinity of one ' +
      'to the other holds only its own pods when they come, and of two that have it to each other neither can start.',
    references: [
      'https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes',
      'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#concurrency-policy',
    ],
  },
  check(workload, { shared }) {
    const uses = shared.flatMap(({ reasons, ...other }) =>
      // Pods that only get in each other's way share nothing that this rule is about.
      reasons.filter(({ claims }) => claims.length > 0).map((reason) => ({ ...other, ...reason })),
    );
    const byClaims = Map.groupBy(uses, ({ claims }) => claims.toSorted().join());
    return [...byClaims.values()].flatMap((users) => {
      const [first, ...others] = users.toSorted(byUser); // in whatever order they were watched
      return first ? [sharedBy(workload, first, others)] : [];
    });
  },
};

interface Use extends Omit<SharedWith, 'reasons'>, Reason {}

function byUser(a: Use, b: Use): number {
  if (a.user === b.user) return 0;
  return a.user < b.user ? -1 : 1;
}

/** One problem however many there are, or every user of a claim would be told of every other one. */
function sharedBy(workload: Workload, first: Use, others: readonly Use[]): Problem {
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const users = [first, ...others].flatMap(({ workload }) => workload ?? []);
  // Of users that are no workload, only the next run of a CronJob is known for certain.
  const isItself = users.length === 0 && workload.concurrencyPolicy === 'Allow';
  const said = isItself ? overlapping(first, workload) : usedToo(first, workload, more);
  return { ...said, claims: first.claims, users };
}

type Said = Pick<Problem, 'reason' | 'detail' | 'why' | 'fix'>;

function usedToo({ cause, claims, user }: Use, workload: Workload, more: string): Said {
  const all = claimsInWords(claims, workload);
  const use = `${user}${more} ${more === '' ? 'uses' : 'use'}`;
  return { detail: `${use} ${all} too`, why: `${use} ${whyWaiting(cause, claims, workload)}`, fix: A_CLAIM_EACH };
}

function whyWaiting(cause: Cause, claims: readonly string[], workload: Workload): string {
  if (cause === 'volume-elsewhere')
    return `${attachedToOne(claims, workload)}; a pod that comes second, on another node, waits for as long as the first runs`;
  const all = claimsInWords(claims, workload);
  if (cause === 'one-pod')
    return `${all} too, and ${letInOne(claims, workload)}; the second waits for as long as the first runs`;
  return `${all} too, and pods of both cannot come to one place where it can be used; those that come second wait`;
}

function overlapping({ cause, claims }: Use, workload: Workload): Said {
  const all = claimsInWords(claims, workload);
  const why =
    cause === 'one-pod'
      ? `${letInOne(claims, workload)}, and the next run may come while the last one still has it`
      : `the next run may start on another node while the last one still holds ${attachedToOne(claims, workload)}`;
  return {
    reason: 'its runs can overlap and wait for each other',
    detail: `runs can overlap on ${all}`,
    why,
    fix: FORBID,
  };
}

const A_CLAIM_EACH: Fix = {
  short: 'give each its own',
  written: 'a claim of its own for each workload, or a ReadWriteMany one',
};

const FORBID: Fix = { short: 'set concurrencyPolicy: Forbid', written: 'spec.concurrencyPolicy: Forbid' };
