import { podsFrom } from '../forecast/cluster.ts';
import { operationsOfAState, type Question, searchFor } from '../forecast/question.ts';
import { followsOthers } from '../forecast/scheduler/inter-pod-affinity.ts';
import { shortestWay } from '../forecast/search.ts';
import { phaseOf, READY, type State } from '../forecast/state.ts';
import { type Wait, waitsIn } from '../forecast/why-pods-wait.ts';

/** Which ways are meant. */
export interface Meant {
  /** Whether a pod has to wait for this where the way ends. */
  readonly isMeant: (wait: Wait, question: Question) => boolean;
  /** Claims for whose volume a pod waits for a while; then the way ends there, whatever comes after. */
  readonly passing?: readonly string[];
  /** Whether it is about what pods of others hold. */
  readonly isAboutOthers: boolean;
}

/** What happens from a start to where pods wait. */
export interface Way {
  readonly question: Question;
  readonly states: readonly State[];
  /** What the pods wait for where it ends; nothing where the wait passes. */
  readonly waits: readonly Wait[];
  readonly meant: Meant;
}

/**
 * The shortest way to where pods wait as it is meant, and of several the first. One that begins with all pods ready comes
 * before others, for it has nothing to explain that was there before.
 */
export function wayTo(question: Question, meant: Meant): Way | undefined {
  const { world, starts, unknownIsHarmless } = question;
  const { cluster, waitedFor } = world;
  const { isMeant, passing } = meant;
  const follows = followsOthers(cluster, { unknownIsHarmless });
  const waitsAt = (state: State): readonly Wait[] =>
    waitsIn(state, world, follows).filter((wait) => isMeant(wait, question));
  const isThere =
    passing === undefined
      ? (state: State, isEnd: boolean) => isEnd && waitsAt(state).length > 0
      : (state: State) =>
          waitedFor(state).some((volume) => cluster.volumes[volume]?.names.some((name) => passing.includes(name)));
  const first = podsFrom(cluster);
  const ready = starts.filter((start) => start.slice(first).every((pod) => phaseOf(pod) === READY));
  const looking = { operations: operationsOfAState(question), budget: cluster.budget };
  for (const from of [ready, starts]) {
    const states = shortestWay(searchFor({ ...question, starts: from }), isThere, looking);
    if (states === undefined) continue;
    return { question, states, waits: passing === undefined ? waitsAt(states.at(-1) ?? []) : [], meant };
  }
  return undefined;
}

/** Whether pods of others alone hold what is waited for. */
export function isHeldByOthers({ heldBy }: Wait, { world }: Question): boolean {
  return heldBy.length > 0 && heldBy.every((podClass) => !world.cluster.classes[podClass]?.isOwn);
}
