import { supportByClass } from '../facts/shared-by-class.ts';
import { storageMatrix } from '../facts/storage-backend.ts';
import { nameOfSource } from '../objects/persistent-volume.ts';
import type { Found } from './diagnosis.ts';
import { each, listed, names, stateOf, type View } from './view.ts';

const NOTHING_IS_LOST = {
  is: 'safe',
  because: 'nothing is attached that would have to be taken away',
  wouldBe: '',
} as const;

/** `scheduler/framework/plugins/nodevolumelimits/csi.go:ErrReasonMaxVolumeCountExceeded`, as the scheduler writes it into the pod's condition. */
const LIMIT_WORDS = 'exceed max volume count';

/** Nodes that have as many volumes as their driver attaches there. */
export function volumeLimit({ use, waiting }: View): Found | undefined {
  if (waiting.length === 0) return undefined;
  const nodesOfDriver = use.nodesOfDriver();
  const full = (nodesOfDriver.known ? nodesOfDriver.value : []).filter((node) => {
    const room = use.room(node);
    return room.known && room.value !== undefined && room.value.attached >= room.value.limit;
  });
  const told = waiting.filter(({ unschedulable }) => unschedulable?.includes(LIMIT_WORDS));
  const isHeld = use.attachments.known && use.attachments.value.length > 0;
  const onFull = (isHeld ? [] : waiting).filter(({ nodeName }) => nodeName !== undefined && full.includes(nodeName));
  const pods = [...told, ...onFull];
  if (pods.length === 0) return undefined;
  return {
    case: 'volume-limit',
    certain: [
      ...told.map((pod) => `${names([pod])} is Pending: ${pod.unschedulable}`),
      ...onFull.map((pod) => `${names([pod])} waits on ${pod.nodeName} for its volumes`),
      ...(full.length > 0 ? [`at their limit are ${listed(full)}`] : []),
    ],
    likely: full.length === 0 ? ['volumes that are being attached, or of pods that are starting, count too'] : [],
    safety: NOTHING_IS_LOST,
  };
}

/** A claim that gets no volume, or a volume that is not attached, because of what it asks for. */
export function modeRefused(view: View): Found | undefined {
  return unboundMode(view) ?? attachRefused(view);
}

function unboundMode({ use }: View): Found | undefined {
  const claim = use.claim.known ? use.claim.value : undefined;
  const storageClass = use.storageClass.known ? use.storageClass.value : undefined;
  if (claim === undefined || claim.phase !== 'Pending' || storageClass === undefined) return undefined;
  const backend = storageMatrix()(storageClass.provisioner);
  const refused = claim.accessModes.filter(
    (mode) => backend !== undefined && supportByClass(storageClass, backend, mode, claim.volumeMode) === 'no',
  );
  if (refused.length === 0) return undefined;
  return {
    case: 'mode-refused',
    certain: [`the claim is Pending, and asks ${storageClass.provisioner} for ${refused.join(' and ')}`],
    likely: [`${storageClass.provisioner} is known to refuse that`],
    safety: { ...NOTHING_IS_LOST, because: 'the claim has no volume yet, so nothing is lost by making another' },
  };
}

function attachRefused(view: View): Found | undefined {
  const { attachments, volume, waiting } = view;
  const failed = attachments.filter(
    ({ nodeName, attached, attachError }) =>
      !attached &&
      attachError !== undefined &&
      stateOf(view, nodeName) === 'ready' &&
      waiting.some((pod) => pod.nodeName === nodeName),
  );
  const [first] = failed;
  if (first === undefined || volume === undefined) return undefined;
  return {
    case: 'mode-refused',
    node: first.nodeName,
    certain: [
      `the volume is attached to no other node, and ${nameOfSource(volume.source)} does not attach it to ${first.nodeName}: ${first.attachError}`,
      ...each(waiting, 'waits for it'),
      `the modes of the volume are ${volume.accessModes.join(', ') || 'none'}`,
    ],
    likely: ['the driver refuses the mode, or knows of an attachment that Kubernetes does not know of'],
    safety: NOTHING_IS_LOST,
  };
}
