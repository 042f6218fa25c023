/*
 * An attachment must not be taken away by hand while its volume is in use. An attacher detaches what is deleted without
 * asking whether it is mounted; without the attacher's finalizer, Kubernetes takes the volume for detached while it is not.
 *
 * Judged: deleting a VolumeAttachment, and taking the attacher's finalizer off it, unless a service account does that. In
 * use is what the node names in `status.volumesInUse`, and what a pod mounts that is on the node and has not ended.
 * Allowed: where the node is gone, or is NotReady and has the out-of-service taint; and what nothing uses. Kubernetes' own
 * controllers are not judged.
 */
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import type { GuardRule } from './rule.ts';

export const attachmentInUse: GuardRule = {
  judges: 'guard',
  meta: {
    id: 'attachment-in-use',
    subject: 'VolumeAttachment',
    severity: 'error',
    brief: 'detaching by hand a disk that is in use',
    says: 'deleting the attachment, or taking its finalizer off, takes a disk away that is still in use',
    reason: 'its volume is still in use',
    remedy:
      'Delete the pods that use the volume, and wait: Kubernetes detaches it by itself. Where their node is dead, switch its machine ' +
      'off, and give the node the out-of-service taint once it is NotReady.',
    references: [
      'https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown',
      'https://github.com/kubernetes-csi/external-attacher',
    ],
  },
  check(facts) {
    if (facts.action !== 'release-attachment') return [];
    const { attachment, by, use } = facts;
    if (!use.known) return [use];
    if (!use.value.inUse) return [];
    const what = by === 'deletion' ? 'it is detached at once' : 'it counts as detached while it is not';
    return [
      {
        detail: `${volumeInWords(attachment)} in use on ${attachment.nodeName}${podsInWords(use.value.pods)}`,
        why: `${volumeInWords(attachment)} is in use on node ${attachment.nodeName}${podsInWords(use.value.pods)}: ${what}, another node may write to it, and data is lost`,
        claims: [],
        fix: {
          short: 'end pods, or fence the node',
          written: 'delete the pods that use it and wait; of a dead node: switch it off, then taint it out-of-service',
        },
      },
    ];
  },
};

function volumeInWords({ volumeName }: VolumeAttachment): string {
  return volumeName === '' ? 'a disk' : `volume ${volumeName}`;
}

/** The number of pods that have room. */
const MOST_PODS = 2;

function podsInWords(pods: readonly string[]): string {
  if (pods.length === 0) return '';
  const others = pods.length - MOST_PODS;
  const named = pods.slice(0, MOST_PODS).join(', ');
  return ` by ${others > 0 ? `${named} and ${others} more` : named}`;
}
