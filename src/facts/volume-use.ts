import type { Budget } from '../budget.ts';
import { type Fact, known, unknown } from '../objects/fact.ts';
import { isOutOfService, type NodeStatus } from '../objects/node-status.ts';
import { keyOf } from '../objects/object-key.ts';
import { diskOf, type PersistentVolume } from '../objects/persistent-volume.ts';
import type { Pod } from '../objects/pod.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';

/** Whether something on a node may still write to a volume. */
export interface VolumeUse {
  readonly inUse: boolean;
  /** Who uses it, where that is pods: as `namespace/name`. */
  readonly pods: readonly string[];
}

const UNUSED = known<VolumeUse>({ inUse: false, pods: [] });

/**
 * What its node says of an attached volume; `undefined` where that leaves it to the pods there. Nothing writes from a node that
 * is gone, or of which somebody said that its machine is off.
 */
export function useOnNode(
  attachment: VolumeAttachment,
  volume: Fact<PersistentVolume | undefined>,
  node: Fact<NodeStatus | undefined>,
  budget: Budget,
): Fact<VolumeUse> | undefined {
  if (!node.known) return node;
  if (node.value === undefined || (node.value.ready !== 'True' && isOutOfService(node.value))) return UNUSED;
  const disk = diskOfAttachment(attachment, volume);
  if (!disk.known) return disk;
  budget.spend(node.value.volumesInUse.length);
  return node.value.volumesInUse.includes(csiVolume(disk.value)) ? known({ inUse: true, pods: [] }) : undefined;
}

/** As the kubelet calls it (`pkg/volume/util/util.go:GetUniqueVolumeName`, `pkg/volume/csi/csi_plugin.go:GetVolumeName`). */
function csiVolume(disk: string): string {
  return `kubernetes.io/csi/${disk}`;
}

function diskOfAttachment(
  { disk, volumeName }: VolumeAttachment,
  volume: Fact<PersistentVolume | undefined>,
): Fact<string> {
  if (disk !== undefined) return known(disk);
  if (!volume.known) return volume;
  const bound = volume.value && diskOf(volume.value.source);
  return bound === undefined ? unknown(`PersistentVolume ${volumeName} does not tell which disk it is`) : known(bound);
}

/** Whether one of these pods, which have not ended, holds the volume or waits for it on its node. */
export function useByPods(
  attachment: VolumeAttachment,
  volume: PersistentVolume | undefined,
  pods: Fact<readonly Pod[]>,
  budget: Budget,
): Fact<VolumeUse> {
  if (!pods.known) return pods;
  const disk = attachment.disk ?? (volume && diskOf(volume.source));
  const claim = volume?.claimRef;
  const holds = (pod: Pod): boolean => {
    budget.spend(1 + pod.claims.length + pod.disks.length);
    if (disk !== undefined && pod.disks.includes(disk)) return true;
    return claim !== undefined && pod.namespace === claim.namespace && pod.claims.includes(claim.name);
  };
  const users = pods.value.filter(holds).map(({ namespace, name }) => keyOf(namespace, name));
  return known({ inUse: users.length > 0, pods: users });
}
