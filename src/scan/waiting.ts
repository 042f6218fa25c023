import { isExclusive } from '../objects/access-mode.ts';
import type { Pod } from '../objects/pod.ts';
import type { ScannedWait } from '../report/scan-report.ts';
import { claimNow } from './claim-now.ts';
import type { Standings } from './judge-standing.ts';
import type { RunningPods } from './running-pods.ts';
import { waitOf } from './waits.ts';

/** Pods that wait for a volume now although no finding tells of it: after a node has failed, or because of pods that nothing made. */
export function waitsBeside(
  told: ReadonlySet<Pod>,
  pods: RunningPods,
  by: Standings,
  isAsked: (pod: Pod) => boolean,
): readonly ScannedWait[] {
  return pods
    .starting()
    .filter((pod) => !told.has(pod) && isAsked(pod))
    .flatMap((pod) => {
      const because = pod.claims.map((claim) => waitFor(claim, pod, pods, by)).find((one) => one !== undefined);
      const { namespace, name } = pod;
      return because === undefined ? [] : [{ resource: { apiVersion: 'v1', kind: 'Pod', namespace, name }, because }];
    });
}

/** What is known of the claim is asked for last, for most pods do not wait. */
function waitFor(claim: string, pod: Pod, pods: RunningPods, by: Standings): string | undefined {
  const holders = pods.holding(pod.namespace, claim);
  const because = waitOf(pod, [{ claim, holders }], { cause: 'one-pod', readAt: by.readAt });
  if (because === undefined) return undefined;
  const facts = claimNow(pod.namespace, claim, by);
  if (facts === undefined) return undefined;
  const { accessModes, attachable, onePod } = facts;
  if (pod.nodeName === undefined) return onePod.known && onePod.value ? because : undefined;
  if (!accessModes.known || !isExclusive(accessModes.value)) return undefined;
  if (!attachable.known) return `${because}, if it attaches to one node at a time: ${attachable.because}`;
  return attachable.value ? because : undefined;
}
