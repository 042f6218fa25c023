/*
 * Where a claim, its volume, its class or the nodes cannot be read, and the answer depends on it, this is said aloud:
 * silence would read as "safe". So is whatever takes more steps than one request has. It never denies, but that last with
 * overBudget: deny.
 *
 * Guards say by it what they could not tell.
 */
import type { Fix } from './remedy.ts';
import type { OpenRule } from './rule.ts';

export const claimUnknown: OpenRule = {
  judges: 'open',
  meta: {
    id: 'claim-unknown',
    subject: 'workloads, also as they are scaled, and what guards judge',
    severity: 'info',
    brief: 'a claim was not found or read: not judged',
    says: 'a claim, or what a guard goes by, could not be found or read, so the answer is open',
    reason: 'not judged',
    remedy:
      'Create the claim before the workload that mounts it, or judge both together with rwo-guard lint. Where judging takes ' +
      'too many steps, write fewer volumes, terms and values into one object.',
    references: ['https://kubernetes.io/docs/concepts/storage/persistent-volumes/'],
  },
  check(because) {
    return because.map((detail) => ({ detail, why: detail, claims: [], fix: fixOf(detail) }));
  },
};

function fixOf(because: string): Fix {
  if (/ does not exist(?: yet)?$/.test(because)) return CREATE_FIRST;
  return /^(?:nothing tells|only the FlexVolume driver)/.test(because) ? SAY_IT : SEE_ALL;
}

const CREATE_FIRST: Fix = {
  short: 'create it first, or rwo-guard lint',
  written: 'create it first, or judge both at once by rwo-guard lint',
};

const SAY_IT: Fix = {
  short: 'setting storage can tell',
  written: 'say in the setting storage whether its volumes are attached',
};

const SEE_ALL: Fix = {
  short: 'run rwo-guard lint',
  written: 'judge all of it at once by rwo-guard lint',
};
