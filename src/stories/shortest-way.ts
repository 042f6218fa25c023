import { podsFrom } from '../forecast/cluster.ts';
import { type Wait, waitsIn } from '../forecast/ends.ts';
import { operationsOfAState, type Question, searchFor } from '../forecast/question.ts';
import { followsOthers } from '../forecast/scheduler/inter-pod-affinity.ts';
import { shortestWay } from '../forecast/search.ts';
import { phaseOf, READY, type State } from '../forecast/state.ts';

/** What happens from a start to where pods wait. */
export interface Way {
  readonly question: Question;
  readonly states: readonly State[];
  /** What the pods wait for where it ends; nothing where the wait passes. */
  readonly waits: readonly Wait[];
  /** The claims that it is about, by name. */
  readonly claims: readonly string[];
  /** Whether it is about what pods of others hold. */
  readonly isAboutOthers: boolean;
}

/** Which ways are meant. */
export interface Meant {
  readonly isMeant: (wait: Wait, question: Question) => boolean;
  /** Claims for whose volume a pod waits for a while; then it ends there, whatever comes after. */
  readonly passing: ReadonlySet<string> | undefined;
  /** Whether it is about what pods of others hold. */
  readonly isAboutOthers: boolean;
}

/**
 * The shortest way to where pods wait as it is meant, and of several the first. One that begins with all pods ready comes
 * before others, for it has nothing to explain that was there before.
 */
export function wayTo(question: Question, meant: Meant): Way | undefined {
  const first = podsFrom(question.world.cluster);
  const isReady = (start: State): boolean => start.slice(first).every((pod) => phaseOf(pod) === READY);
  const ready = question.starts.filter(isReady);
  for (const starts of [ready, question.starts]) {
    const way = starts.length === 0 ? undefined : wayFrom({ ...question, starts }, meant);
    if (way !== undefined) return way;
  }
  return undefined;
}

function wayFrom(question: Question, { isMeant, passing, isAboutOthers }: Meant): Way | undefined {
  const { controller, world } = question;
  const isThere = passing === undefined ? undefined : isLate(question, passing);
  const meantAt = waitsMeant(question, isMeant);
  const looking = { operations: operationsOfAState(question), budget: world.cluster.budget };
  const states = shortestWay(
    searchFor(question),
    isThere ?? ((state, isEnd) => isEnd && !controller.isDone(state) && meantAt(state).length > 0),
    looking,
  );
  const end = states?.at(-1);
  if (states === undefined || end === undefined) return undefined;
  if (passing !== undefined) return { question, states, waits: [], claims: [...passing], isAboutOthers };
  const waits = meantAt(end);
  const claims = [...new Set(waits.flatMap((wait) => wait.claims))];
  return { question, states, waits, claims, isAboutOthers };
}

/** The waits of a state that are meant. */
function waitsMeant(question: Question, isMeant: Meant['isMeant']): (state: State) => readonly Wait[] {
  const { world, unknownIsHarmless } = question;
  const follows = followsOthers(world.cluster, { unknownIsHarmless });
  return (state) => waitsIn(state, world, follows).filter((wait) => isMeant(wait, question));
}

/** Whether a pod waits for one of the volumes while it is attached to another node. */
function isLate({ world }: Question, claims: ReadonlySet<string>): (state: State) => boolean {
  const { cluster, waitedFor } = world;
  return (state) =>
    waitedFor(state).some((volume) => cluster.volumes[volume]?.names.some((name) => claims.has(name)) ?? false);
}

/** Whether pods of others alone hold what is waited for. */
export function isHeldByOthers({ heldBy }: Wait, { world }: Question): boolean {
  return heldBy.length > 0 && heldBy.every((podClass) => !world.cluster.classes[podClass]?.isOwn);
}
