import { keyOf } from '../objects/object-key.ts';
import { ago } from './ago.ts';
import { type ClaimUse, unseenOf } from './claim-use.ts';
import type { Diagnosis, Found } from './diagnosis.ts';
import { endsLate, heldElsewhere, staysAttached } from './held-elsewhere.ts';
import { nodeFailure } from './node-failure.ts';
import { modeRefused, volumeLimit } from './refused.ts';
import { sharedVolumeStuck } from './shared-volume.ts';
import { hasWaitedLong, names, type View, viewOf } from './view.ts';

/** Which case it is, by objects alone: events are not asked, for they go after an hour. The order is that of the tree in README.md. */
export function diagnose(use: ClaimUse): Diagnosis {
  const view = viewOf(use);
  const found = CHECKS.reduce<Found | undefined>((before, check) => before ?? check(view), undefined) ?? NOTHING_WRONG;
  const { namespace, name } = use;
  return { likely: [], node: undefined, ...found, claim: { namespace, name }, unseen: unseenOf(use) };
}

const CHECKS: readonly ((view: View) => Found | undefined)[] = [
  ...[noClaim, claimDeleting, nodeFailure, sharedVolumeStuck, volumeLimit],
  ...[heldElsewhere, endsLate, staysAttached, modeRefused, notTold],
];

const NOTHING_WRONG: Found = {
  case: 'nothing-wrong',
  certain: ['no pod waits for it, and none that is to end is late'],
  safety: { is: 'nothing to do', because: 'nobody waits', wouldBe: '' },
};

function noClaim({ use: { claim, namespace, name } }: View): Found | undefined {
  if (!claim.known || claim.value !== undefined) return undefined;
  return {
    case: 'no-claim',
    certain: [`there is no claim ${keyOf(namespace, name)}`],
    safety: { is: 'nothing to do', because: 'there is nothing to recover', wouldBe: '' },
  };
}

function claimDeleting({ use: { claim, pods, now }, volume }: View): Found | undefined {
  const { deletingSince, finalizers = [] } = (claim.known && claim.value) || {};
  if (deletingSince === undefined) return undefined;
  // Those that have ended count as well (`pkg/controller/volume/pvcprotection/pvc_protection_controller.go:podUsesPVC`).
  const using = pods.known ? pods.value : [];
  const loses = volume?.reclaimPolicy === 'Delete';
  return {
    case: 'claim-deleting',
    certain: [
      `its deletion was asked for ${ago(deletingSince, now)}, and cannot be taken back`,
      using.length > 0
        ? `it goes once these pods have gone: ${names(using)}`
        : `finalizers hold it: ${finalizers.join(', ') || 'none'}`,
      'no pod that comes now gets it',
      ...(loses ? [`volume ${volume.name} has the reclaim policy Delete: the data goes with the claim`] : []),
    ],
    safety: loses
      ? {
          is: 'unsafe',
          because: 'the last pod that goes takes the data with it',
          wouldBe: `set the reclaim policy of ${volume.name} to Retain first`,
        }
      : { is: 'safe', because: 'the volume and its data stay when the claim goes', wouldBe: '' },
  };
}

function notTold({ use: { pods, claim, now }, waiting }: View): Found | undefined {
  const blind = !pods.known || !claim.known;
  if (waiting.length === 0 && !blind) return undefined;
  return {
    case: 'not-told',
    certain: waiting.map(
      (pod) => `${names([pod])} waits: ${pod.unschedulable ?? `on ${pod.nodeName}, for its volumes or its network`}`,
    ),
    likely: blind
      ? []
      : [
          waiting.some((pod) => hasWaitedLong(pod, now))
            ? 'its reason has nothing to do with this claim'
            : 'it has only just come',
        ],
    safety: {
      is: 'unsafe',
      because: 'nobody knows what holds it',
      wouldBe: 'look at its events and at the CSI driver on its node',
    },
  };
}
