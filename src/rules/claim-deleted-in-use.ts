/*
 * A claim should not be deleted that a workload will want again. It goes when the last pod has gone that uses it, and until
 * then no pod that comes gets it; what becomes of the data, its volume's reclaim policy says.
 *
 * Judged: deleting a claim that the template of a workload mounts, or that a StatefulSet has made for one of its pods.
 * Allowed: where every such workload is being deleted as well, or is a Job that has finished. Kubernetes' own controllers are not judged.
 */
import { keyOf } from '../objects/object-key.ts';
import type { Workload } from '../objects/workload.ts';
import type { GuardRule } from './rule.ts';

export const claimDeletedInUse: GuardRule = {
  judges: 'guard',
  meta: {
    id: 'claim-deleted-in-use',
    subject: 'PersistentVolumeClaim',
    severity: 'warning',
    brief: 'deleting a claim that a workload will want again',
    says: 'the claim is deleted, and a workload will want it again',
    reason: 'a workload will want it again',
    remedy: 'Delete the workload first, or change its template to another claim, and then the claim.',
    references: ['https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection'],
  },
  check(facts) {
    if (facts.action !== 'delete-claim') return [];
    const [first, ...others] = facts.users.workloads.filter(wantsItAgain);
    if (first === undefined) return facts.users.unknown.map((because) => ({ known: false, because }));
    const { namespace, name } = first.metadata;
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return [
      {
        detail: `${first.kind} ${name} mounts it${more}`,
        why: `${first.kind} ${keyOf(namespace, name)}${more} mounts it: pods that have it keep it, no other gets it, and then its data may be gone`,
        claims: [facts.claim],
        fix: { short: 'delete that first', written: 'delete what mounts it first, or have it mount another claim' },
        users: [first, ...others].map(({ kind, metadata }) => ({ kind, namespace, name: metadata.name })),
      },
    ];
  },
};

/** A Job that has finished asks for no pods; whatever else has none now may get some. */
function wantsItAgain({ kind, replicas, metadata }: Workload): boolean {
  return !metadata.deleting && (kind !== 'Job' || replicas > 0);
}
