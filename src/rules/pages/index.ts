import type { Page } from '../page.ts';
import { page as accessModeUnsupported } from './access-mode-unsupported.ts';
import { page as attachmentInUse } from './attachment-in-use.ts';
import { page as claimDeletedInUse } from './claim-deleted-in-use.ts';
import { page as claimShared } from './claim-shared.ts';
import { page as claimUnknown } from './claim-unknown.ts';
import { page as nodeDeletedInUse } from './node-deleted-in-use.ts';
import { page as outOfServiceReadyNode } from './out-of-service-ready-node.ts';
import { page as outOfServiceRemovedEarly } from './out-of-service-removed-early.ts';
import { page as replicasSplit } from './replicas-split.ts';
import { page as rolloutBlocked } from './rollout-blocked.ts';
import { page as rolloutDeadlock } from './rollout-deadlock.ts';
import { page as rolloutTransient } from './rollout-transient.ts';
import { page as unfencedForceDelete } from './unfenced-force-delete.ts';

/** Pages by the id of the rule. */
export const pages: Readonly<Record<string, Page>> = {
  'rollout-deadlock': rolloutDeadlock,
  'rollout-blocked': rolloutBlocked,
  'rollout-transient': rolloutTransient,
  'replicas-split': replicasSplit,
  'claim-shared': claimShared,
  'access-mode-unsupported': accessModeUnsupported,
  'claim-unknown': claimUnknown,
  'out-of-service-ready-node': outOfServiceReadyNode,
  'out-of-service-removed-early': outOfServiceRemovedEarly,
  'attachment-in-use': attachmentInUse,
  'node-deleted-in-use': nodeDeletedInUse,
  'unfenced-force-delete': unfencedForceDelete,
  'claim-deleted-in-use': claimDeletedInUse,
};
