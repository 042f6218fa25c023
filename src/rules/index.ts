import { accessModeUnsupported } from './access-mode-unsupported.ts';
import { attachmentInUse } from './attachment-in-use.ts';
import { claimDeletedInUse } from './claim-deleted-in-use.ts';
import { claimShared } from './claim-shared.ts';
import { claimUnknown } from './claim-unknown.ts';
import { nodeDeletedInUse } from './node-deleted-in-use.ts';
import { outOfServiceReadyNode } from './out-of-service-ready-node.ts';
import { outOfServiceRemovedEarly } from './out-of-service-removed-early.ts';
import { replicasSplit } from './replicas-split.ts';
import { rolloutBlocked } from './rollout-blocked.ts';
import { rolloutDeadlock } from './rollout-deadlock.ts';
import { rolloutTransient } from './rollout-transient.ts';
import type { GuardRule, Rule } from './rule.ts';
import { unfencedForceDelete } from './unfenced-force-delete.ts';

/** What judges manifests, in the order of the README's table. Adding a rule is adding a line here, or below. */
export const manifestRules: readonly Exclude<Rule, GuardRule>[] = [
  rolloutDeadlock,
  rolloutBlocked,
  rolloutTransient,
  replicasSplit,
  claimShared,
  accessModeUnsupported,
  claimUnknown,
];

/** What judges things that people do by hand, which only a webhook sees. */
export const guards: readonly GuardRule[] = [
  outOfServiceReadyNode,
  outOfServiceRemovedEarly,
  attachmentInUse,
  nodeDeletedInUse,
  unfencedForceDelete,
  claimDeletedInUse,
];

/** Every rule. */
export const rules: readonly Rule[] = [...manifestRules, ...guards];
