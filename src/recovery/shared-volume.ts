import { storageMatrix } from '../facts/storage-backend.ts';
import type { VolumeSource } from '../objects/persistent-volume.ts';
import type { Found } from './diagnosis.ts';
import { each, hasWaitedLong, isOverdue, stateOf, type View } from './view.ts';

/** Whether it is a disk of the node itself, with no server behind it. */
function isOnNode(source: VolumeSource): boolean {
  if (source.type === 'unattached') return source.plugin === 'local' || source.plugin === 'hostPath';
  return source.type === 'csi' && storageMatrix()(source.driver)?.nodePinned === 'node';
}

/** Pods on nodes that are well, which hang on a volume that no controller attaches. */
export function sharedVolumeStuck(view: View): Found | undefined {
  const { use, pods } = view;
  if (!use.attachable.known || use.attachable.value || view.volume === undefined) return undefined;
  const onReady = pods.filter(({ nodeName }) => nodeName !== undefined && stateOf(view, nodeName) === 'ready');
  const late = onReady.filter((pod) => isOverdue(pod, use.now));
  const stuck = onReady.filter((pod) => !pod.deleting && pod.waitsForVolumes && hasWaitedLong(pod, use.now));
  if (late.length + stuck.length === 0 || isOnNode(view.volume.source)) return undefined;
  const nodes = new Set([...late, ...stuck].map(({ nodeName }) => nodeName));
  const well = onReady.filter((pod) => pod.isReady && !late.includes(pod));
  return {
    case: 'shared-volume-stuck',
    certain: [
      ...each(late, 'is to have ended, and is not gone, on a node that is well'),
      ...each(stuck, 'has waited for its volumes for minutes, on a node that is well'),
      ...each(well, 'is Ready with the same claim'),
      'no controller attaches this volume, so none waits for another node',
    ],
    likely: [
      nodes.size > 1 || well.length === 0
        ? 'the server or the export does not answer, and every process that touches it hangs'
        : `the mount on ${[...nodes].join(', ')} hangs, for others go on with the same export`,
    ],
    safety: {
      is: 'safe',
      because: 'once nothing uses the claim, nothing is mounted, and everything starts anew with fresh mounts',
      wouldBe: 'make sure that the server answers again before everything is started',
    },
  };
}
