/*
 * Where a claim, its volume, its class or the nodes cannot be read, and the answer depends on it, this is said aloud:
 * silence would read as "safe". It never denies.
 */
import type { OpenRule } from './rule.ts';

export const claimUnknown: OpenRule = {
  judges: 'open',
  meta: {
    id: 'claim-unknown',
    subject: 'workloads, scale',
    severity: 'info',
    says: 'a claim could not be found or read, so the answer is open',
    reason: 'cannot tell if it is safe',
    remedy: 'Create the claim before the workload that mounts it, or judge both together with rwo-guard lint.',
    references: ['https://kubernetes.io/docs/concepts/storage/persistent-volumes/'],
  },
  check(because) {
    return because.map((detail) => ({ detail, claims: [], fix: 'rwo-guard lint sees whole files' }));
  },
};
