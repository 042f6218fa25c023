import { join } from 'node:path';

/** What KWOK plays besides keeping nodes Ready. */
export interface KwokStages {
  /** Pods become Ready as soon as they have a node, end with their Job, and go a second after they are deleted. */
  readonly pods?: boolean;
  /** Every VolumeAttachment is attached at once. */
  readonly volumeAttachments?: boolean;
  /** Files with stages of your own. */
  readonly more?: readonly string[];
}

const SHIPPED = {
  nodes: ['node-initialize.yaml', 'node-heartbeat.yaml'],
  pods: ['pod-ready.yaml', 'pod-complete.yaml'],
};
const OURS = join(import.meta.dirname, 'stages');

/** The files to give to KWOK, which knows no stages by itself; `shipped` is the folder with those that come with it. */
export function stageFiles(shipped: string, { pods = true, volumeAttachments = true, more = [] }: KwokStages) {
  return [
    ...SHIPPED.nodes.map((name) => join(shipped, name)),
    ...(pods ? [...SHIPPED.pods.map((name) => join(shipped, name)), join(OURS, 'pod-delete.yaml')] : []),
    ...(volumeAttachments ? [join(OURS, 'volume-attachment-attached.yaml')] : []),
    ...more,
  ];
}
