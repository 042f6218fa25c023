/*
 * A rollout in which every old pod may go heals by itself, but where old and new pods overlap the new one may wait for
 * its volume until the old one is gone, and events speak of Multi-Attach meanwhile. Worth knowing, not worth a denial.
 *
 * Judged: as rollout-deadlock, with maxSurge of at least one.
 * Allowed: maxSurge 0; Recreate.
 */
import type { Workload } from '../objects/workload.ts';
import { type Fixes, RECREATE } from './remedy.ts';
import { attachedToOne, claimsInWords, type WorkloadRule } from './rule.ts';

const NO_SURGE = 'spec.strategy.rollingUpdate: {maxSurge: 0}';

export const rolloutTransient: WorkloadRule = {
  judges: 'rollout',
  meta: {
    id: 'rollout-transient',
    subject: 'Deployment',
    severity: 'warning',
    brief: 'new pods wait while the volume moves; heals by itself',
    says: 'old and new pod overlap (maxSurge ≥ 1) and the volume has to move; it heals by itself',
    reason: 'its rollouts wait while the volume moves',
    remedy: 'Set maxSurge: 0, so that the new pod is created when the old one is already going.',
    references: ['https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-surge'],
  },
  check(workload, { rollout }) {
    if (workload.kind !== 'Deployment' || !rollout.multiAttach) return [];
    return rollout.waits
      .filter(({ cause, lasts }) => cause === 'volume-elsewhere' && lasts === 'until-told-to-go')
      .map(({ cause, claims }) => ({
        cause,
        detail: `a rollout waits while ${claimsInWords(claims, workload)} moves`,
        why: `the new pod may start on another node before the old one, which is told to go, lets go of ${attachedToOne(claims, workload)}; the wait ends by itself`,
        claims,
        ...fixesFor(workload),
      }));
  },
};

/** Several replicas that go one by one need not all go at once. */
function fixesFor({ replicas }: Workload): Fixes {
  if (replicas > 1) return { fix: { short: 'set maxSurge: 0', written: NO_SURGE } };
  return { fix: RECREATE, or: NO_SURGE };
}
