import { isOutOfService } from '../objects/node-status.ts';
import { ago } from './ago.ts';
import type { Found, Safety } from './diagnosis.ts';
import { each, isInUse, nodeOf, podsOn, stateOf, type View } from './view.ts';

/** A node that has the volume, or a pod of it, and is silent or not there any more. */
export function nodeFailure(view: View): Found | undefined {
  const attachedTo = new Set(view.attachments.map(({ nodeName }) => nodeName));
  for (const node of view.nodes) {
    const state = stateOf(view, node);
    const pods = podsOn(view, node);
    if (state === 'gone' && attachedTo.has(node)) return deletedNode(view, node);
    if (state !== 'down') continue;
    if (pods.length > 0) return nodeDown(view, node);
    if (attachedTo.has(node)) return podGone(view, node);
  }
  return undefined;
}

function nodeDown(view: View, node: string): Found {
  const pods = podsOn(view, node);
  const ending = pods.filter(({ deleting }) => deleting);
  const rest = pods.filter(({ deleting }) => !deleting);
  return {
    case: 'node-down',
    node,
    certain: [
      silence(view, node),
      ...each(ending, 'is Terminating there, and only its kubelet can confirm that it has ended'),
      ...each(rest, 'is bound to it and not being deleted yet'),
      ...waitingLines(view),
      pods.some((pod) => !pod.deleting || pod.isRunning)
        ? 'while a pod there is not gone no clock runs: nothing is detached, however long one waits'
        : 'no container of it was seen running, so the volume is detached by force after 6 minutes; the pod stays',
    ],
    likely:
      rest.length > 0
        ? ['it is evicted 5 minutes after the node fell silent, unless most nodes of the zone are silent too']
        : [],
    safety: fencing(view, node),
  };
}

function podGone(view: View, node: string): Found {
  return {
    case: 'node-down-pod-gone',
    node,
    certain: [
      silence(view, node),
      'the volume is attached to it, and no pod of this claim is left there',
      ...waitingLines(view),
    ],
    likely: [
      'the attach-detach controller detaches it by force 6 minutes after the pod went, unless that is switched off (disable-force-detach-on-timeout)',
    ],
    safety: fencing(view, node),
  };
}

function deletedNode(view: View, node: string): Found {
  const pods = podsOn(view, node);
  return {
    case: 'deleted-node',
    node,
    certain: [
      `the volume is attached to ${node}, and there is no such node`,
      ...each(pods, 'is still bound to it; the pod garbage collector takes it away within about a minute'),
      ...waitingLines(view),
    ],
    likely: [
      'the attach-detach controller detaches it, at once if the node had said that it was not mounted, or else after 6 minutes; never where disable-force-detach-on-timeout is set',
    ],
    safety: {
      is: 'unsafe',
      because: `that the Node object is gone does not say that the machine of ${node} is off: it may still write`,
      wouldBe: `see to it that the machine is off or destroyed, and say so: --node-is-off ${node}`,
    },
  };
}

function silence(view: View, node: string): string {
  const { ready, readySince } = nodeOf(view, node) ?? {};
  const since = ago(readySince, view.use.now);
  const words = ready === 'False' ? 'says that it is not Ready' : 'has fallen silent';
  return `node ${node} ${words}${since === '' ? '' : `, since ${since}`}${isInUse(view, node) ? '; it had the volume mounted' : ''}`;
}

function waitingLines({ waiting }: View): readonly string[] {
  return each(waiting, 'waits for the volume elsewhere');
}

/** A taint that is there already is somebody's word that the machine is off. */
function fencing(view: View, name: string): Safety {
  const node = nodeOf(view, name);
  if (node !== undefined && isOutOfService(node)) {
    return {
      is: 'by itself',
      because: `somebody has declared ${name} out of service: its pods go and its volumes come off`,
      wouldBe: '',
    };
  }
  return {
    is: 'unsafe',
    because: `silent is not off: the machine of ${name} may still run its containers and write to the disk`,
    wouldBe: `power it off, make sure that it stays off, and say so: --node-is-off ${name}; or bring it back`,
  };
}
