import { join } from 'node:path';

/** What KWOK plays besides keeping nodes Ready. */
export interface KwokStages {
  /** Pods become Ready as soon as they have a node, end with their Job, and go as soon as they are deleted. */
  readonly pods?: boolean;
  /** Every VolumeAttachment is attached at once. */
  readonly volumeAttachments?: boolean;
  /** Files with stages of your own. */
  readonly more?: readonly string[];
}

const NODE_STAGES = ['node-initialize.yaml', 'node-heartbeat.yaml'];
const POD_STAGES = ['pod-ready.yaml', 'pod-complete.yaml', 'pod-delete.yaml'];
const ATTACH_STAGE = join(import.meta.dirname, 'stages', 'volume-attachment-attached.yaml');

/** The files to give to KWOK, which knows no stages by itself; `shipped` is the folder with those that come with it. */
export function stageFiles(shipped: string, { pods = true, volumeAttachments = true, more = [] }: KwokStages) {
  const fromKwok = [...NODE_STAGES, ...(pods ? POD_STAGES : [])].map((name) => join(shipped, name));
  return [...fromKwok, ...(volumeAttachments ? [ATTACH_STAGE] : []), ...more];
}
