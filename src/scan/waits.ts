import type { Cause } from '../forecast/reasons.ts';
import type { Pod } from '../objects/pod.ts';
import type { Hold, Holders } from './holders.ts';

/** One volume that a pod may wait for. */
export interface Wanted {
  readonly claim: string;
  readonly holders: Holders;
}

/** So long a volume may move before anybody is told: 30 s for a pod to end by default, and a minute and a half for a cloud to detach its disk. */
const MOVES_WITHIN_MS = 120_000;

/** What a finding says of the wait, and when the cluster was read, as the API writes times. */
interface Foretold {
  readonly cause: Cause | undefined;
  readonly readAt: string;
}

/** What keeps a pod from starting, in words; nothing where it does not wait, or something else may be why. */
export function waitOf(pod: Pod, volumes: readonly Wanted[], { cause, readAt }: Foretold): string | undefined {
  if (pod.deleting || !pod.isStarting) return undefined;
  const isOverdue = pod.since !== undefined && Date.parse(readAt) - Date.parse(pod.since) > MOVES_WITHIN_MS;
  const lasts = (hold: Hold | undefined): hold is Hold => hold !== undefined && (isOverdue || !hold.passes);
  const { nodeName } = pod;
  return nodeName === undefined ? pendingFor(pod, volumes, cause, lasts) : attachingFor(pod, nodeName, volumes, lasts);
}

type Lasts = (hold: Hold | undefined) => hold is Hold;

function attachingFor(pod: Pod, nodeName: string, volumes: readonly Wanted[], lasts: Lasts): string | undefined {
  for (const { claim, holders } of volumes) {
    const hold = holders.elsewhere(nodeName);
    if (lasts(hold)) return `pod ${pod.name} waits on ${nodeName}${since(pod)} for ${claim}, ${hold.inWords}`;
  }
  return undefined;
}

/** The scheduler has been asked, and has found no node. */
function pendingFor(pod: Pod, volumes: readonly Wanted[], cause: Cause | undefined, lasts: Lasts): string | undefined {
  const { unschedulable } = pod;
  if (unschedulable === undefined) return undefined;
  const pending = `pod ${pod.name} is Pending${since(pod)}`;
  switch (cause) {
    case 'being-deleted':
      return `${pending}: ${volumes.map(({ claim }) => claim).join(', ')} is being deleted`;
    case 'one-pod':
      for (const { claim, holders } of volumes) {
        const hold = holders.anywhere();
        if (lasts(hold)) return `${pending}: ${claim} lets one pod in, ${hold.inWords}`;
      }
      return undefined;
    case 'no-node-left':
    case 'too-few-nodes':
    case 'others-elsewhere':
    case 'out-of-reach':
    case undefined:
      return BLAMES_PLACES.test(unschedulable) ? `${pending}: ${shortened(unschedulable)}` : undefined;
    case 'volume-elsewhere':
      return undefined;
    default:
      return cause satisfies never;
  }
}

/**
 * What the scheduler says where volumes or other pods leave no node, and not what nodes have left (`pkg/scheduler/framework/plugins`:
 * `volumebinding`, `volumezone`, `volumerestrictions`, `interpodaffinity`, `podtopologyspread`, `nodeports`).
 */
const BLAMES_PLACES = /volume|pod (?:anti-)?affinity|anti-affinity rules|topology spread|free ports|ReadWriteOncePod/i;

/** A line or two: the scheduler counts its nodes by what each lacks. */
const MOST_SAID = 200;

function shortened(text: string): string {
  return text.length <= MOST_SAID ? text : `${text.slice(0, MOST_SAID)}…`;
}

function since({ since: time }: Pod): string {
  return time === undefined ? '' : ` since ${time}`;
}
