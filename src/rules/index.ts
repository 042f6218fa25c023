import { accessModeUnsupported } from './access-mode-unsupported.ts';
import { claimShared } from './claim-shared.ts';
import { claimUnknown } from './claim-unknown.ts';
import { replicasSplit } from './replicas-split.ts';
import { rolloutBlocked } from './rollout-blocked.ts';
import { rolloutDeadlock } from './rollout-deadlock.ts';
import { rolloutTransient } from './rollout-transient.ts';
import type { Rule } from './rule.ts';

/** Every rule, in the order of the README's table. Adding a rule is adding a line here. */
export const rules: readonly Rule[] = [
  rolloutDeadlock,
  rolloutBlocked,
  rolloutTransient,
  replicasSplit,
  claimShared,
  accessModeUnsupported,
  claimUnknown,
];
