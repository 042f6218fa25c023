import { isOnePod } from '../objects/access-mode.ts';
import { keyOf } from '../objects/object-key.ts';
import { type OwnerLink, type UsingPod, workloadOf } from './claim-use.ts';
import type { Found, Safety } from './diagnosis.ts';
import { each, hasWaitedLong, isInUse, isOverdue, listed, names, podsOn, stateOf, type View } from './view.ts';

/** Who has what waiting pods wait for, on nodes that are well. */
export function heldElsewhere(view: View): Found | undefined {
  const { use, waiting } = view;
  if (use.manyNodes || waiting.length === 0) return undefined;
  const nodes = new Set(waiting.map(({ nodeName }) => nodeName));
  const mayBeBeside = !(view.volume && isOnePod(view.volume.accessModes));
  const holders = view.pods.filter(
    (pod) => !view.waiting.includes(pod) && pod.nodeName !== undefined && !(mayBeBeside && nodes.has(pod.nodeName)),
  );
  const keeping = holders.filter(({ deleting }) => !deleting);
  if (keeping.length > 0) return kept(view, keeping);
  return ending(view, holders);
}

/** Pods that are to end and do not, whoever waits: a StatefulSet waits for its own. */
export function endsLate(view: View): Found | undefined {
  const late = view.pods.filter((pod) => isOverdue(pod, view.use.now) && stateOf(view, pod.nodeName ?? '') === 'ready');
  return ending(view, late);
}

/** An attachment to a node that is well, of which no pod is left there, and that has not gone yet. */
export function staysAttached(view: View): Found | undefined {
  const { waiting, use } = view;
  const isAwaited = waiting.length > 0 && !use.manyNodes;
  for (const { nodeName, detachError } of view.attachments) {
    const isLeft = stateOf(view, nodeName) === 'ready' && podsOn(view, nodeName).length === 0;
    if (!isLeft || !(isAwaited || detachError !== undefined)) continue;
    const certain = [
      `no pod of this claim is left on ${nodeName}, and the volume is still attached there`,
      ...(isInUse(view, nodeName) ? ['its kubelet says that it has the volume mounted'] : []),
      ...(detachError === undefined ? [] : [`detaching failed: ${detachError}`]),
      ...waitingWords(waiting),
    ];
    if (detachError !== undefined || waiting.some((pod) => hasWaitedLong(pod, use.now)))
      return unmountHangs(nodeName, certain);
    return {
      case: 'slow-termination',
      node: nodeName,
      certain,
      likely: ['it is being unmounted and detached, which takes seconds to a minute'],
      safety: { is: 'by itself', because: 'the node is well, and nobody has waited for long', wouldBe: '' },
    };
  }
  return undefined;
}

function kept(view: View, keeping: readonly UsingPod[]): Found | undefined {
  const { waiting } = view;
  const tops = new Map([...waiting, ...keeping].map((pod) => [workloadOf(pod)?.uid ?? pod.uid, workloadOf(pod)]));
  const certain = [...each(keeping, 'has the volume, and is to go on running'), ...waitingWords(waiting)];
  const safety = safetyOf(view, keeping);
  if (tops.size > 1) {
    const owners = [...tops.values()].map(ownerWords);
    return {
      case: 'two-owners',
      certain: [...certain, `they belong to ${owners.join(' and to ')}`],
      safety: { ...safety, because: `${safety.because}; which of them is to have the claim, only you can say` },
    };
  }
  const [top] = tops.values();
  const revisions = new Set([...waiting, ...keeping].map(({ owners }) => owners[0]?.uid));
  const rolls = revisions.size > 1 && top?.kind === 'Deployment';
  if (rolls) {
    return {
      case: 'rollout-deadlock',
      certain: [
        ...certain,
        `they are of two revisions of ${ownerWords(top)}: the old pod stays until the new one is ready`,
      ],
      safety,
    };
  }
  return { case: 'replicas-split', certain: [...certain, `they are replicas of ${ownerWords(top)}`], safety };
}

function safetyOf(view: View, keeping: readonly UsingPod[]): Safety {
  const blind = keeping.flatMap(({ nodeName = '' }) => (stateOf(view, nodeName) === 'ready' ? [] : [nodeName]));
  if (blind.length === 0) {
    const because = 'the nodes are well: a pod that is told to end gives the volume back in order';
    return { is: 'safe', because, wouldBe: '' };
  }
  const because = `nobody saw whether ${listed(blind)} is well`;
  return { is: 'unsafe', because, wouldBe: 'ask again as somebody who may list nodes' };
}

function waitingWords(waiting: readonly UsingPod[]): readonly string[] {
  const onNodes = waiting.filter(({ nodeName }) => nodeName !== undefined);
  const pending = waiting.filter(({ nodeName }) => nodeName === undefined);
  return [
    ...onNodes.map((pod) => `${names([pod])} waits on ${pod.nodeName} for its volumes`),
    ...pending.map(
      ({ unschedulable, ...pod }) =>
        `${names([{ unschedulable, ...pod }])} is Pending: ${unschedulable ?? 'not scheduled'}`,
    ),
  ];
}

function ownerWords(link: OwnerLink | undefined): string {
  return link === undefined ? 'nobody (a plain pod)' : `${link.kind} ${keyOf(link.namespace, link.name)}`;
}

function ending(view: View, holders: readonly UsingPod[]): Found | undefined {
  const pods = holders.filter(({ deleting }) => deleting);
  const [first] = pods;
  if (first === undefined) return undefined;
  const late = pods.filter((pod) => isOverdue(pod, view.use.now));
  const stopped = late.filter(({ isRunning }) => !isRunning);
  const [hanging] = stopped;
  if (hanging !== undefined) {
    return unmountHangs(hanging.nodeName ?? '', [
      ...each(stopped, 'is to have ended, no container of it runs any more, and it is not gone'),
      ...waitingWords(view.waiting),
    ]);
  }
  const finalizers = pods.flatMap(({ finalizers: held }) => held);
  return {
    case: 'slow-termination',
    node: first.nodeName,
    certain: [
      ...each(late, 'is Terminating and past its grace, and its containers still run'),
      ...each(
        pods.filter((pod) => !late.includes(pod)),
        'is Terminating, within its grace',
      ),
      ...(finalizers.length > 0 ? [`finalizers keep its object: ${finalizers.join(', ')}`] : []),
      ...waitingWords(view.waiting),
    ],
    likely:
      late.length > 0
        ? [`the kubelet or the container runtime of ${first.nodeName} does not come to end it`]
        : ['it ends, and the volume moves by itself'],
    safety: {
      is: 'by itself',
      because: 'the node is well: force would leave containers running that nobody sees',
      wouldBe: '',
    },
  };
}

function unmountHangs(node: string, certain: readonly string[]): Found {
  return {
    case: 'unmount-hangs',
    node,
    certain,
    likely: [
      `unmounting hangs on ${node}, or its CSI driver does not answer; a healthy node is never detached by force`,
    ],
    safety: {
      is: 'unsafe',
      because: `${node} may have the volume mounted: to take it away would cut off what is still being written`,
      wouldBe: `mend what hangs on ${node}, or drain it and power it off, and say so: --node-is-off ${node}`,
    },
  };
}
