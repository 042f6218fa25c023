import type { PodFacts } from '../facts/workload-facts.ts';
import { type Cluster, podsFrom } from './cluster.ts';
import type { Controller } from './controllers/controller.ts';
import type { Reason } from './reasons.ts';
import { followsOthers } from './scheduler/inter-pod-affinity.ts';
import { endedUnseen } from './scheduler/scheduling-queue.ts';
import { reach, type Search } from './search.ts';
import { classOf, phaseOf, READY, type State } from './state.ts';
import { type Wait, waitsIn } from './why-pods-wait.ts';
import type { World } from './world.ts';

/** A start and a controller: from these states, will it come to where all is up, whatever happens on the way? */
export interface Question {
  readonly world: World;
  readonly starts: readonly State[];
  readonly controller: Controller;
  /** Classes of pods that the controller may end for not being ready. */
  readonly old: readonly number[];
  readonly unknownIsHarmless: boolean;
  /** Whether steps that nothing undoes are taken at once. */
  readonly takesAtOnce: boolean;
  /** Classes of pods that end by themselves some time. */
  readonly ending?: readonly number[];
  /** What is enough to know: why pods wait, because of their own workload or of anybody. Without it, wherever it ends. */
  readonly enough?: 'own-waits' | 'waits';
}

export interface Answer {
  /** Claims for whose volume some pod waited while it was attached to another node, by name. */
  readonly multiAttach: readonly string[];
  /** Why pods wait in ends that are not the goal: what their own workload does to them. */
  readonly own: readonly Wait[];
  /** The same for what pods of others hold. */
  readonly others: readonly Wait[];
  /** Where all its pods are up. */
  readonly complete: readonly State[];
  /** Where it ends otherwise. */
  readonly stuck: readonly State[];
  readonly isWhole: boolean;
  /** What was asked, for whoever wants to see the way to an end. */
  readonly question: Question;
}

export function ask(question: Question): Answer {
  const { world, unknownIsHarmless, ending } = question;
  const { cluster, waitedFor } = world;
  const { budget } = cluster;
  const late = new Set<number>();
  const isUrgent = (state: State): boolean => {
    const volumes = waitedFor(state, ending);
    for (const volume of volumes) late.add(volume);
    return volumes.length > 0;
  };
  budget.spend(OPERATIONS_OF_A_QUESTION + question.starts.length);
  const operations = operationsOfAState(question);
  const looking = { isUrgent, symmetry: world.symmetry, isLast: lastOf(question), operations, budget };
  const reached = reach(searchFor(question), looking);
  const ends = reached.ends.map((index) => reached.states[index] ?? []);
  const [complete, stuck]: [State[], State[]] = [[], []];
  for (const end of ends) (areAllUp(end, cluster) ? complete : stuck).push(end);
  const waits = stuck.length === 0 ? [] : distinctWaits(stuck, world, followsOthers(cluster, { unknownIsHarmless }));
  const isOthers = (wait: Wait): boolean => isHeldByOthers(wait, cluster);
  return {
    multiAttach: namesOf(late, cluster),
    own: waits.filter((wait) => !isOthers(wait)),
    others: waits.filter(({ heldBy }) => heldBy.some((podClass) => !cluster.classes[podClass]?.isOwn)),
    complete,
    stuck,
    isWhole: reached.isWhole,
    question,
  };
}

/** Whether all of its pods are ready: whatever a controller has still to do, some pod waits for it. */
export function areAllUp(end: State, cluster: Cluster): boolean {
  return end.slice(podsFrom(cluster)).every((pod) => phaseOf(pod) === READY || !cluster.classes[classOf(pod)]?.isOwn);
}

function namesOf(volumes: ReadonlySet<number>, cluster: Cluster): readonly string[] {
  if (volumes.size === 0) return [];
  return [...volumes].toSorted((a, b) => a - b).flatMap((volume) => cluster.volumes[volume]?.names ?? []);
}

function isHeldByOthers({ heldBy }: Wait, { classes }: Cluster): boolean {
  return heldBy.length > 0 && heldBy.every((podClass) => !classes[podClass]?.isOwn);
}

/**
 * Where no filter looks at other pods, pods wait for volumes alone: for the only one that is attached to one node at a time
 * because of their own workload, or because of others that hold it, and once both are met there is nothing left to find.
 */
function lastOf({ world, enough }: Question): (end: State) => boolean {
  const { cluster, scheduler } = world;
  if (enough === undefined || !scheduler.looksAtNodesAlone) return () => false;
  const exclusive = new Set<number>();
  for (const { isOwn, volumes } of cluster.classes) {
    for (const volume of isOwn ? volumes : []) if (cluster.volumes[volume]?.isAttachedToOne) exclusive.add(volume);
  }
  const [only = -1] = exclusive;
  if (exclusive.size !== 1 || cluster.volumes.some(({ isForOnePod }) => isForOnePod)) return () => false;
  const holders = cluster.classes.filter(({ volumes }) => volumes.includes(only));
  const missing = new Set(enough === 'own-waits' ? [true] : holders.map(({ isOwn }) => isOwn));
  return (end) => {
    for (const wait of waitsIn(end, world, () => false)) missing.delete(!isHeldByOthers(wait, cluster));
    return missing.size === 0;
  };
}

/** What is done once for all states of a question. */
const OPERATIONS_OF_A_QUESTION = 15;

/** What a look at one state takes, but for what the scheduler looks at. */
const OPERATIONS_OF_A_STATE = 11;

/** The same with what the scheduler does not count itself. */
export function operationsOfAState({ world: { cluster } }: Pick<Question, 'world'>): number {
  return OPERATIONS_OF_A_STATE + podsFrom(cluster);
}

/**
 * Pods that are due are made at once, because that takes nothing from anybody and the scheduler may still take its time
 * with them. Pods become ready at once whose controller ends none for not being ready: it only lets more happen.
 */
export function searchFor({ world, starts, controller, old, takesAtOnce, ending = [] }: Question): Search {
  const { cluster, scheduler, attachDetach, kubelets } = world;
  const isOld = cluster.classes.map(({ index }) => old.includes(index));
  const free = [controller.create, kubelets.start((podClass) => !isOld[podClass])];
  return {
    starts,
    atOnce: takesAtOnce ? free : [],
    steps: [
      ...(takesAtOnce ? [] : free),
      endedUnseen(controller.end, world),
      scheduler.bind,
      attachDetach,
      kubelets.start((podClass) => isOld[podClass] ?? false),
    ],
    // The scheduler is done with a pod long before another one has ended gracefully.
    slow: [kubelets.end((podClass) => ending.includes(podClass))],
  };
}

/** Each once. Those that were found before the budget ended stand. */
function distinctWaits(
  stuck: readonly State[],
  world: World,
  follows: ReturnType<typeof followsOthers>,
): readonly Wait[] {
  const waits = new Map<readonly string[], Map<string, Wait>>();
  const { budget, nodes } = world.cluster;
  budget.answer(() => {
    for (const end of stuck) {
      budget.spend(OPERATIONS_OF_A_STATE + end.length + nodes.length);
      for (const wait of waitsIn(end, world, follows)) {
        // The same claims are the same list.
        const same = waits.get(wait.claims) ?? new Map<string, Wait>();
        waits.set(wait.claims, same.set(`${wait.cause} ${wait.heldBy}`, wait));
      }
    }
  }, undefined);
  return [...waits.values()].flatMap((same) => [...same.values()]);
}

/** One reason per cause, with all its claims in the order in which the pods have them. */
export function reasonsOf(waits: readonly Wait[], { claims: held }: Pick<PodFacts, 'claims'>): readonly Reason[] {
  if (waits.length === 0) return [];
  const order = held.map(({ name }) => name);
  const byCause = Map.groupBy(waits, ({ cause }) => cause);
  return [...byCause].map(([cause, some]) => ({
    cause,
    claims: [...new Set(some.flatMap(({ claims }) => claims))].toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
  }));
}

/** Wherever it ends. */
export function ended({ complete, stuck }: Answer): readonly State[] {
  return [...complete, ...stuck];
}
