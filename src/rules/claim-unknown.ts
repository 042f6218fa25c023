/*
 * Where a claim, its volume, its class or the nodes cannot be read, and the answer depends on it, this is said aloud:
 * silence would read as "safe". So is whatever takes more steps than one request has. It never denies, but that last with
 * overBudget: deny.
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
    remedy:
      'Create the claim before the workload that mounts it, or judge both together with rwo-guard lint. Where judging takes ' +
      'too many steps, write fewer volumes, terms and values into one object.',
    references: ['https://kubernetes.io/docs/concepts/storage/persistent-volumes/'],
  },
  check(because) {
    return because.map((detail) => ({ detail, claims: [], fix: 'rwo-guard lint sees whole files' }));
  },
};
