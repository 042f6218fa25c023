import { type PodClass, podsFrom } from './cluster.ts';
import type { Cause } from './reasons.ts';
import type { followsOthers } from './scheduler/inter-pod-affinity.ts';
import { attachedTo, classOf, nodeOf, phaseOf, READY, type State, TERMINATING, WAITING } from './state.ts';
import type { World } from './world.ts';

/** Why a pod waits in an end that no step leads out of. */
export interface Wait {
  readonly cause: Cause;
  /** The claims at fault, by name. */
  readonly claims: readonly string[];
  /** The classes of pods that hold what it waits for; none where nobody does. */
  readonly heldBy: readonly number[];
}

const NO_CLAIMS: readonly string[] = [];

/** Why the workload's pods wait in this state. A pod that no node would take for all its own reasons is nobody's fault. */
export function waitsIn(state: State, world: World, followsOther: ReturnType<typeof followsOthers>): readonly Wait[] {
  const first = podsFrom(world.cluster);
  const waits: Wait[] = [];
  for (let index = first; index < state.length; index++) {
    const pod = state[index] ?? 0;
    if (!world.cluster.classes[classOf(pod)]?.isOwn || pod === state[index - 1]) continue;
    if (phaseOf(pod) === WAITING) waits.push(...pendingFor(pod, state, world, followsOther));
    else if (phaseOf(pod) !== READY && phaseOf(pod) !== TERMINATING) waits.push(...mountingFor(pod, state, world));
  }
  return waits;
}

/** A pod that has a node waits for volumes that are attached to others, or for what is taken on its own. */
function mountingFor(pod: number, state: State, world: World): readonly Wait[] {
  const { claimNames, cluster, kubelets } = world;
  const { classes, volumes } = cluster;
  const podClass = classes[classOf(pod)];
  if (podClass === undefined) return [];
  const held = podClass.mounted;
  const elsewhere = held.filter((volume) => {
    const at = attachedTo(state, volume);
    return volumes[volume]?.isAttachedToOne && at >= 0 && at !== nodeOf(pod);
  });
  if (elsewhere.length > 0) {
    return elsewhere.map((volume) => ({
      cause: 'volume-elsewhere',
      claims: claimNames.on(volume, podClass),
      heldBy: holders(state, world, volume, attachedTo(state, volume)),
    }));
  }
  if (!kubelets.mayMount(classOf(pod), nodeOf(pod))) {
    return [{ cause: 'out-of-reach', claims: claimNames.all(podClass), heldBy: [] }];
  }
  const onePod = held.filter((volume) => volumes[volume]?.isForOnePod);
  if (onePod.length === 0) return [{ cause: 'no-node-left', claims: NO_CLAIMS, heldBy: [] }];
  return onePod.map((volume) => ({
    cause: 'one-pod',
    claims: claimNames.on(volume, podClass),
    heldBy: holders(state, world, volume, nodeOf(pod)).filter((holder) => holder !== classOf(pod)),
  }));
}

function holders(state: State, { cluster }: World, volume: number, node: number | undefined): readonly number[] {
  const found = new Set<number>();
  for (const pod of state.slice(podsFrom(cluster))) {
    if (nodeOf(pod) < 0 || (node !== undefined && nodeOf(pod) !== node)) continue;
    if (cluster.classes[classOf(pod)]?.volumes.includes(volume)) found.add(classOf(pod));
  }
  return [...found];
}

/** A pod that has no node: what of its filters leaves it none. */
function pendingFor(
  pod: number,
  state: State,
  world: World,
  followsOther: ReturnType<typeof followsOthers>,
): readonly Wait[] {
  const { cluster, scheduler, claimNames } = world;
  const podClass = classOf(pod);
  const own = cluster.classes[podClass];
  if (own === undefined) return [];
  if (!scheduler.isFree(podClass, 0, state)) {
    const onePod = own.volumes.filter((volume) => cluster.volumes[volume]?.isForOnePod);
    return onePod.map((volume) => ({
      cause: 'one-pod',
      claims: claimNames.on(volume, own),
      heldBy: holders(state, world, volume, undefined),
    }));
  }
  const deleting = claimNames.deleting(own);
  if (deleting.length > 0) return [{ cause: 'being-deleted', claims: deleting, heldBy: [] }];
  const all = [...cluster.nodes.keys()];
  const alone = all.filter((node) => scheduler.fitsNode(podClass, node));
  if (alone.length === 0) return onePodOf(own, state, world);
  const isUsable = (node: number): boolean =>
    scheduler.fitsVolumes(podClass, node) && scheduler.isPlaced(podClass, node, state);
  const usable = alone.filter(isUsable);
  const pinned = claimNames.pinning(own);
  if (usable.length === 0) return [{ cause: 'out-of-reach', claims: pinned, heldBy: [] }];
  const joined = usable.filter((node) => scheduler.isTogether(podClass, node, state));
  if (joined.length === 0) {
    const cause = followsOther(podClass, state) ? 'others-elsewhere' : 'no-node-left';
    return [{ cause, claims: NO_CLAIMS, heldBy: [] }];
  }
  if (joined.length < usable.length) return [{ cause: 'no-node-left', claims: NO_CLAIMS, heldBy: [] }];
  const oneIsEnough = isBlockedByOne(podClass, joined, state, world);
  if (!oneIsEnough) return [{ cause: 'too-few-nodes', claims: NO_CLAIMS, heldBy: [] }];
  const isAtFault = alone.length > usable.length;
  return [{ cause: 'no-node-left', claims: isAtFault ? pinned : NO_CLAIMS, heldBy: [] }];
}

/** Whether some pod by itself would leave it no node, so that more nodes of the kind would be of no use. */
function isBlockedByOne(
  podClass: number,
  nodes: readonly number[],
  state: State,
  { cluster, scheduler }: World,
): boolean {
  const first = podsFrom(cluster);
  const header = state.slice(0, first);
  const pods = [...new Set(state.slice(first))].filter((pod) => phaseOf(pod) !== WAITING);
  cluster.budget.spend(pods.length * nodes.length);
  return pods.some((pod) => {
    const alone = [...header, pod];
    return !nodes.some((node) => scheduler.isApart(podClass, node, alone));
  });
}

/** A node for it may join, but of a claim for one pod even that gives it none beside another pod. */
function onePodOf(own: PodClass, state: State, { cluster, claimNames }: World): readonly Wait[] {
  const pods = state.slice(podsFrom(cluster)).map(classOf);
  const others = pods.toSpliced(pods.indexOf(own.index), 1);
  const held = own.volumes.filter(
    (volume) =>
      cluster.volumes[volume]?.isForOnePod && others.some((other) => cluster.classes[other]?.volumes.includes(volume)),
  );
  return held.map((volume) => ({ cause: 'one-pod', claims: claimNames.on(volume, own), heldBy: [] }));
}
