import type { Fact } from '../objects/fact.ts';
import type { NodeStatus } from '../objects/node-status.ts';
import type { Pod } from '../objects/pod.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import type { UsersOfClaim } from '../snapshot/snapshot.ts';
import type { VolumeUse } from './volume-use.ts';

interface NodeUpdate {
  readonly action: 'update-node';
  readonly node: NodeStatus;
  readonly previous: NodeStatus;
}

interface NodeDeletion {
  readonly action: 'delete-node';
  readonly node: NodeStatus;
}

interface AttachmentRelease {
  readonly action: 'release-attachment';
  /** By deleting it, or by taking off the finalizer with which its attacher keeps it. */
  readonly by: 'deletion' | 'finalizer';
  readonly attachment: VolumeAttachment;
}

interface ForcedDeletion {
  readonly action: 'force-delete-pod';
  readonly pod: Pod;
}

interface ClaimDeletion {
  readonly action: 'delete-claim';
}

/** What somebody is about to do by hand. */
export type Guarded = NodeUpdate | NodeDeletion | AttachmentRelease | ForcedDeletion | ClaimDeletion;

/** The same, and what is known around it. */
export type GuardFacts =
  | NodeUpdate
  | NodeDeletion
  | (AttachmentRelease & { readonly use: Fact<VolumeUse> })
  | (ForcedDeletion & {
      /** The node that it is on. */
      readonly node: Fact<NodeStatus | undefined>;
      /** Those of its claims and disks that attach to one node, or let one pod in. */
      readonly exclusive: Fact<readonly string[]>;
    })
  | (ClaimDeletion & {
      readonly claim: string;
      /** Whoever mounts it by what its template says. */
      readonly users: UsersOfClaim;
    });
