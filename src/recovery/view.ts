import type { VolumeStatus } from '../objects/claim-status.ts';
import type { NodeStatus } from '../objects/node-status.ts';
import { keyOf } from '../objects/object-key.ts';
import { diskOf } from '../objects/persistent-volume.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import { type ClaimUse, nodesOf, type UsingPod } from './claim-use.ts';

/** How a node is, as far as was read. */
export type NodeState = 'ready' | 'down' | 'gone' | '?';

/** The use of a claim, sorted for the questions of a diagnosis. What could not be read is not in here. */
export interface View {
  readonly use: ClaimUse;
  readonly volume: VolumeStatus | undefined;
  readonly attachments: readonly VolumeAttachment[];
  /** Those that have not ended. */
  readonly pods: readonly UsingPod[];
  /** On a node for want of the volume, or on none. */
  readonly waiting: readonly UsingPod[];
  readonly nodes: readonly string[];
}

export function viewOf(use: ClaimUse): View {
  const pods = (use.pods.known ? use.pods.value : []).filter(({ ended }) => !ended);
  return {
    use,
    volume: use.volume.known ? use.volume.value : undefined,
    attachments: use.attachments.known ? use.attachments.value : [],
    pods,
    waiting: pods.filter((pod) => !pod.deleting && (pod.waitsForVolumes || pod.nodeName === undefined)),
    nodes: nodesOf(use),
  };
}

export function stateOf({ use }: View, name: string): NodeState {
  const node = use.node(name);
  if (!node.known) return '?';
  if (node.value === undefined) return 'gone';
  return node.value.ready === 'True' ? 'ready' : 'down';
}

export function nodeOf({ use }: View, name: string): NodeStatus | undefined {
  const node = use.node(name);
  return node.known ? node.value : undefined;
}

export function podsOn({ pods }: View, node: string): readonly UsingPod[] {
  return pods.filter(({ nodeName }) => nodeName === node);
}

/** Whether the kubelet of the node says that it has the volume mounted (`pkg/volume/util/util.go:GetUniqueVolumeName`). */
export function isInUse(view: View, node: string): boolean {
  const disk = view.volume && diskOf(view.volume.source);
  return disk !== undefined && (nodeOf(view, node)?.volumesInUse ?? []).some((name) => name.endsWith(`/${disk}`));
}

/**
 * A kubelet that is not stuck ends a pod within its grace, and then unmounts and reports within some ten seconds
 * (`pkg/kubelet/apis/config/v1beta1/defaults.go`: NodeStatusUpdateFrequency); three times that is late.
 */
const LATE_MS = 30_000;

/** Whether it was to have ended some time ago. */
export function isOverdue({ endsBy }: UsingPod, now: number): boolean {
  return endsBy !== undefined && now - Date.parse(endsBy) > LATE_MS;
}

/** A kubelet waits two minutes and three seconds for volumes before it says so and begins again (`pkg/kubelet/volumemanager/volume_manager.go:podAttachAndMountTimeout`). */
const STUCK_MS = 123_000;

/** Whether it has waited for longer than a kubelet waits at a time. */
export function hasWaitedLong({ since }: UsingPod, now: number): boolean {
  return since !== undefined && now - Date.parse(since) > STUCK_MS;
}

export function names(pods: readonly UsingPod[]): string {
  return listed(pods.map(({ namespace, name }) => keyOf(namespace, name)));
}

/** How many of a long list are named. */
const MOST_NAMED = 5;

/** A line for each of the pods, which goes on in these words. */
export function each(pods: readonly UsingPod[], words: string): readonly string[] {
  const more = pods.length - MOST_NAMED;
  const lines = pods.slice(0, MOST_NAMED).map((pod) => `${names([pod])} ${words}`);
  return more > 0 ? [...lines, `and so with ${more} more pods`] : lines;
}

export function listed(texts: readonly string[]): string {
  const more = texts.length - MOST_NAMED;
  return `${texts.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
