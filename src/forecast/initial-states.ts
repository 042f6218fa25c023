import type { WorkloadKind } from '../objects/kinds.ts';
import { podsFrom, unlike } from './cluster.ts';
import { newPod } from './controllers/new-pod.ts';
import { NUMBERS_OF_AN_OPERATION } from './search.ts';
import {
  attachedTo,
  classOf,
  emptyState,
  keyOf,
  nodeOf,
  placeOf,
  podCode,
  READY,
  STARTING,
  type State,
  withAttached,
  withoutPod,
  withPlace,
  withPod,
} from './state.ts';
import type { World } from './world.ts';

/** To make one, and to tell it from the others. */
const OPERATIONS_OF_A_START = 3;

/** More ways to begin than this are not looked at. */
const MOST_STARTS = 256;

/** No pod of the workload, and pods of the others wherever their template lets them stay. */
export function startsOfOthers(world: World, before: readonly State[] = [nothing(world)]): readonly State[] {
  let starts = before;
  for (const podClass of world.others) {
    const placed = fewFrom(starts, world, (state) => onEachNode(state, podClass, world));
    if (placed.length > 0) starts = placed;
  }
  const possible = world.others.length === 0 ? starts : starts.filter((state) => hasLastPod(state, world));
  return possible.length > 0 ? possible : starts;
}

/**
 * Whether some pod may be the last that came: affinity holds whoever comes, so that pods which are all held to each other
 * are together, in whatever order they came.
 */
function hasLastPod(state: State, { cluster, scheduler }: World): boolean {
  if (cluster.classes.every(({ template }) => template.podAffinity.length === 0)) return true;
  const first = podsFrom(cluster);
  const pods = state.slice(first).filter((pod) => nodeOf(pod) >= 0);
  cluster.budget.spend(pods.length * (state.length / NUMBERS_OF_AN_OPERATION));
  return (
    pods.length === 0 ||
    pods.some((pod) => scheduler.isTogether(classOf(pod), nodeOf(pod), withoutPod(state, first, pod)))
  );
}

/** No pod of anybody. */
export function nothing({ cluster }: World): State {
  return emptyState(cluster.volumes.length);
}

/** What each of the states may become, each once; beyond as many as are looked at that is left open. */
function fewFrom(
  states: readonly State[],
  { cluster: { budget } }: World,
  become: (state: State) => readonly State[],
): readonly State[] {
  const found = new Map<string, State>();
  for (const state of states) {
    for (const one of become(state)) {
      budget.spend(OPERATIONS_OF_A_START + one.length / NUMBERS_OF_AN_OPERATION);
      found.set(keyOf(one), one);
    }
    if (found.size <= MOST_STARTS) continue;
    budget.giveUp();
    return [...found.values()].slice(0, MOST_STARTS);
  }
  return [...found.values()];
}

/** The pod ready on each node where it may be with its volumes; of empty ones that are alike, on one. */
function onEachNode(state: State, podClass: number, world: World): readonly State[] {
  const { cluster, scheduler } = world;
  const { facts, template, onlyNode } = cluster.classes[podClass] ?? {};
  cluster.budget.spend(cluster.nodes.length);
  const nodes = [...cluster.nodes.keys()].filter((node) =>
    template?.nodeName === undefined
      ? scheduler.fitsNode(podClass, node) && scheduler.fitsVolumes(podClass, node)
      : node === onlyNode,
  );
  const isPerNode = facts?.workload.onEveryNode && cluster.classes[podClass]?.claims.length === 0;
  if (isPerNode) {
    let next = state;
    for (const node of nodes) next = withPod(next, podsFrom(cluster), podCode(podClass, READY, node));
    return [next];
  }
  return unlike(nodes, state, cluster)
    .filter((node) => scheduler.isApart(podClass, node, state))
    .flatMap((node) => readyOn(state, podClass, node, world));
}

/** With its volumes attached to the node, and placed where the node can use them; nothing where others have them. */
function readyOn(state: State, podClass: number, node: number, world: World): readonly State[] {
  const { cluster } = world;
  const { volumes, classes } = cluster;
  let states: readonly State[] = [withPod(state, podsFrom(cluster), podCode(podClass, READY, node))];
  for (const volume of classes[podClass]?.volumes ?? []) {
    states = states.flatMap((one) => placed(one, volume, node, world));
    if (!volumes[volume]?.isAttachedToOne) continue;
    states = states.flatMap((one) => {
      const at = attachedTo(one, volume);
      if (at < 0) return [withAttached(one, volume, node)];
      return at === node || !classes[podClass]?.mounted.includes(volume) ? [one] : [];
    });
  }
  return states;
}

function placed(state: State, volume: number, node: number, { cluster, scheduler }: World): readonly State[] {
  const { volumes } = cluster;
  if (volumes[volume]?.claim.onceBound === undefined || placeOf(state, volume, volumes.length) >= 0) return [state];
  return (scheduler.places[volume]?.[node] ?? []).map((place) => withPlace(state, volume, volumes.length, place));
}

/** Pods of these classes, one of each, on these nodes, so that every node has one. */
function startsAt(places: ReadonlySet<string>, classes: readonly number[], world: World): readonly State[] {
  const nodes = [...places].map((name) => world.cluster.names.indexOf(name)).filter((node) => node >= 0);
  let spread: readonly (readonly number[])[] = [[]];
  for (const [index] of classes.entries()) {
    const left = classes.length - index - 1;
    spread = spread
      .flatMap((taken) => nodes.map((node) => [...taken, node]))
      .filter((taken) => nodes.length - new Set(taken).size <= left)
      .slice(0, MOST_STARTS);
  }
  return spread.flatMap((taken) => startAt(taken, classes, world));
}

/** Every pod is ready that has its volumes, and of a volume that is wanted on several nodes each may have it. */
function startAt(taken: readonly number[], classes: readonly number[], world: World): readonly State[] {
  const { cluster } = world;
  let states: readonly State[] = [nothing(world)];
  for (const [volume, known] of cluster.volumes.entries()) {
    const wanting = new Set(taken.filter((_, at) => cluster.classes[classes[at] ?? 0]?.volumes.includes(volume)));
    if (wanting.size === 0) continue;
    const [some = 0] = wanting;
    states = states.flatMap((state) => placed(state, volume, some, world));
    if (!known.isAttachedToOne) continue;
    states = states.flatMap((state) => [...wanting].map((node) => withAttached(state, volume, node)));
  }
  return states.map((state) => {
    let next = state;
    for (const [at, node] of taken.entries()) {
      const podClass = classes[at] ?? 0;
      const has = (cluster.classes[podClass]?.mounted ?? []).every(
        (volume) => !cluster.volumes[volume]?.isAttachedToOne || attachedTo(state, volume) === node,
      );
      next = withPod(next, podsFrom(cluster), podCode(podClass, has ? READY : STARTING, node));
    }
    return next;
  });
}

/** Pods that run already. */
export interface RunningPods {
  /** By ordinal or node, or one for all. */
  readonly classes: readonly number[];
  readonly least: number;
  readonly most: number;
  readonly kind: WorkloadKind;
}

/** The pods on these nodes. How many there are on each nobody says, and no more than that each has one. */
export function runningAt(
  places: ReadonlySet<string>,
  { classes, least, most, kind }: RunningPods,
  world: World,
): readonly State[] {
  if (kind === 'DaemonSet') {
    const nodes = [...places].map((name) => world.cluster.names.indexOf(name)).filter((node) => node >= 0);
    return startAt(
      nodes,
      nodes.map((node) => classes[node] ?? 0),
      world,
    );
  }
  const starts: State[] = [];
  for (let pods = Math.max(places.size, least); pods <= Math.max(most, places.size); pods++) {
    const all = kind === 'StatefulSet' ? classes.slice(0, pods) : new Array<number>(pods).fill(classes[0] ?? 0);
    starts.push(...startsAt(places, all, world));
  }
  return starts;
}

/** So many pods fewer, whichever. */
export function scaledDown(starts: readonly State[], podClass: number, fewer: number, world: World): readonly State[] {
  const first = podsFrom(world.cluster);
  let states = starts;
  for (let gone = 0; gone < fewer; gone++) {
    states = fewFrom(states, world, (state) =>
      [...new Set(state.slice(first))]
        .filter((pod) => classOf(pod) === podClass)
        .map((pod) => withoutPod(state, first, pod)),
    );
  }
  return states;
}

/** So many pods more, which are still to come. */
export function scaledUp(starts: readonly State[], podClass: number, more: number, world: World): readonly State[] {
  const first = podsFrom(world.cluster);
  return starts.map((state) => {
    let next = state;
    for (let made = 0; made < more; made++) next = withPod(next, first, newPod(world.cluster, podClass));
    return next;
  });
}

/** The nodes on which pods of these classes are. */
export function placesIn(state: State, classes: readonly number[], { cluster }: World): ReadonlySet<string> {
  const pods = state.slice(podsFrom(cluster)).filter((pod) => classes.includes(classOf(pod)));
  return new Set(pods.flatMap((pod) => cluster.names[nodeOf(pod)] ?? []));
}

/** Whether every pod has a node. */
export function allHaveNodes(state: State, { cluster }: World): boolean {
  return state.slice(podsFrom(cluster)).every((pod) => nodeOf(pod) >= 0);
}
