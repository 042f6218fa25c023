import { storageMatrix } from '../facts/storage-backend.ts';
import { isOnePod } from '../objects/access-mode.ts';
import { keyOf } from '../objects/object-key.ts';
import type { VolumeSource } from '../objects/persistent-volume.ts';
import { type OwnerLink, type UsingPod, workloadOf } from './claim-use.ts';
import type { Found, Safety } from './diagnosis.ts';
import { hasWaitedLong, isInUse, isOverdue, listed, names, podsOn, stateOf, type View } from './view.ts';

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
  const certain = [`${names(keeping)} runs with the volume, and is to go on running`, ...waitingWords(waiting)];
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
        `both are of ${ownerWords(top)}, from two of its revisions: the old pod stays until the new one is ready`,
      ],
      safety,
    };
  }
  return { case: 'replicas-split', certain: [...certain, `both are replicas of ${ownerWords(top)}`], safety };
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
      `${names(stopped)} is to have ended, no container of it runs any more, and it is not gone`,
      ...waitingWords(view.waiting),
    ]);
  }
  const finalizers = pods.flatMap(({ finalizers: held }) => held);
  return {
    case: 'slow-termination',
    node: first.nodeName,
    certain: [
      `${names(pods)} is Terminating${late.length > 0 ? ' and past its grace, and its containers still run' : ', within its grace'}`,
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
      ...(late.length > 0 ? [`${names(late)} is to have ended, and is not gone, on a node that is well`] : []),
      ...(stuck.length > 0 ? [`${names(stuck)} has waited for its volumes for minutes, on a node that is well`] : []),
      ...(well.length > 0 ? [`${names(well)} is Ready with the same claim`] : []),
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
