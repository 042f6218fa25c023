/*
 * A claim that one node may attach is one workload's business. Where a second workload, or the next run of a CronJob,
 * uses it too and nothing keeps both on one node, whichever comes second waits for as long as the first one runs.
 *
 * Judged: all workloads that run pods with the claim, or with another claim for the same disk, and where they may land.
 * Allowed: one eligible node; required affinity of one to the other's labels by hostname; finished, suspended and empty
 * workloads; ReadWriteMany.
 */
import { claimsInWords, type WorkloadRule } from './rule.ts';

export const claimShared: WorkloadRule = {
  judges: 'steady',
  meta: {
    id: 'claim-shared',
    subject: 'workloads, claim',
    severity: 'warning',
    says: 'two workloads, or overlapping runs of one CronJob, use one exclusive claim and nothing keeps them on one node',
    reason: 'exclusive claim has a second user',
    remedy:
      'Give each workload a claim of its own or a ReadWriteMany one, set concurrencyPolicy: Forbid on a CronJob, or keep ' +
      "both on one node by required pod affinity of one to the other's labels with topologyKey kubernetes.io/hostname.",
    references: [
      'https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes',
      'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#concurrency-policy',
    ],
  },
  check(_workload, { shared }) {
    return shared.flatMap(({ user, workload, reasons }) =>
      // Pods that only get in each other's way share nothing that this rule is about.
      reasons
        .filter(({ claims }) => claims.length > 0)
        .map(({ claims }) => ({
          detail: `${claimsInWords(claims)}, with ${user}`,
          claims,
          fix: 'give each its own',
          ...(workload && { user: workload }),
        })),
    );
  },
};
