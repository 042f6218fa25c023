import type { PodFacts } from '../../facts/workload-facts.ts';
import type { Reason } from '../reasons.ts';
import { attachDetach, waitedFor } from './attach-detach.ts';
import type { Controller } from './controllers/controller.ts';
import { type Wait, waitsIn } from './ends.ts';
import { kubeletEnds, kubeletStarts } from './kubelet.ts';
import { followsOthers } from './scheduler/inter-pod-affinity.ts';
import { type Budget, reach, type Search } from './search.ts';
import type { State } from './state.ts';
import type { World } from './world.ts';

/** A start and a goal: from these states, will the controller come to where it is done, whatever happens on the way? */
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
}

export interface Answer {
  /** Claims for whose volume some pod waited while it was attached to another node, by name. */
  readonly multiAttach: readonly string[];
  /** Why pods wait in ends that are not the goal: what their own workload does to them. */
  readonly own: readonly Wait[];
  /** The same for what pods of others hold. */
  readonly others: readonly Wait[];
  /** Where all is done. */
  readonly complete: readonly State[];
  /** Where it ends otherwise. */
  readonly stuck: readonly State[];
  readonly isWhole: boolean;
  /** What was asked, for whoever wants to see the way to an end. */
  readonly question: Question;
}

export function ask(question: Question, budget: Budget): Answer {
  const { world, controller, unknownIsHarmless } = question;
  const { cluster } = world;
  const reached = reach(searchFor(question), budget);
  const waits = waitedFor(cluster, question.ending);
  // A pod that has a claim for one pod had to wait for that before.
  const late = new Set(reached.states.flatMap(waits));
  const ends = reached.ends.map((index) => reached.states[index] ?? []);
  const [complete, stuck]: [State[], State[]] = [[], []];
  for (const end of ends) (controller.isDone(end) ? complete : stuck).push(end);
  const follows = followsOthers(cluster, { unknownIsHarmless });
  const all = distinct(stuck.flatMap((end) => waitsIn(end, world, follows)));
  const isOthers = ({ heldBy }: Wait): boolean =>
    heldBy.length > 0 && heldBy.every((podClass) => !cluster.classes[podClass]?.isOwn);
  return {
    multiAttach: [...late].flatMap((volume) => cluster.volumes[volume]?.claim.name ?? []),
    own: all.filter((wait) => !isOthers(wait)),
    others: all.filter(isOthers),
    complete,
    stuck,
    isWhole: reached.isWhole,
    question,
  };
}

/**
 * Pods that are due are made at once, because that takes nothing from anybody and the scheduler may still take its time
 * with them. Pods become ready at once whose controller ends none for not being ready: it only lets more happen.
 */
export function searchFor({ world, starts, controller, old, takesAtOnce, ending = [] }: Question): Search {
  const { cluster, scheduler } = world;
  const isOld = cluster.classes.map(({ index }) => old.includes(index));
  const free = [controller.create, kubeletStarts(cluster, (podClass) => !isOld[podClass])];
  return {
    starts,
    atOnce: takesAtOnce ? free : [],
    steps: [
      ...(takesAtOnce ? [] : free),
      controller.end,
      scheduler.bind,
      attachDetach(cluster),
      kubeletStarts(cluster, (podClass) => isOld[podClass] ?? false),
    ],
    // The scheduler is done with a pod long before another one has ended gracefully.
    slow: [kubeletEnds(cluster, (podClass) => ending.includes(podClass))],
  };
}

function distinct(waits: readonly Wait[]): readonly Wait[] {
  return [...new Map(waits.map((wait) => [JSON.stringify(wait), wait])).values()];
}

/** One reason per cause, with all its claims in the order in which the pods have them. */
export function reasonsOf(waits: readonly Wait[], { claims: held }: Pick<PodFacts, 'claims'>): readonly Reason[] {
  const order = held.map(({ name }) => name);
  const byCause = Map.groupBy(waits, ({ cause }) => cause);
  return [...byCause].map(([cause, some]) => ({
    cause,
    claims: [...new Set(some.flatMap(({ claims }) => claims))].toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
  }));
}
