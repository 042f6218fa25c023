import { waitedFor } from '../forecast/model/attach-detach.ts';
import { podsFrom } from '../forecast/model/cluster.ts';
import { type Wait, waitsIn } from '../forecast/model/ends.ts';
import { type Question, searchFor } from '../forecast/model/question.ts';
import { followsOthers } from '../forecast/model/scheduler/inter-pod-affinity.ts';
import { type Budget, reach, wayTo } from '../forecast/model/search.ts';
import { phaseOf, READY, type State } from '../forecast/model/state.ts';

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
export function shortestWay(question: Question, meant: Meant, budget: Budget): Way | undefined {
  const first = podsFrom(question.world.cluster);
  const isReady = (start: State): boolean => start.slice(first).every((pod) => phaseOf(pod) === READY);
  const ready = question.starts.filter(isReady);
  for (const starts of [ready, question.starts]) {
    const way = starts.length === 0 ? undefined : wayFrom({ ...question, starts }, meant, budget);
    if (way !== undefined) return way;
  }
  return undefined;
}

function wayFrom(question: Question, { isMeant, passing, isAboutOthers }: Meant, budget: Budget): Way | undefined {
  const reached = reach(searchFor(question), budget);
  if (passing !== undefined) {
    const index = reached.states.findIndex(isLate(question, passing));
    return index < 0
      ? undefined
      : { question, states: wayTo(index, reached), waits: [], claims: [...passing], isAboutOthers };
  }
  for (const index of reached.ends) {
    const end = reached.states[index] ?? [];
    if (question.controller.isDone(end)) continue;
    const waits = waitsAt(end, question).filter((wait) => isMeant(wait, question));
    if (waits.length > 0) {
      const claims = [...new Set(waits.flatMap((wait) => wait.claims))];
      return { question, states: wayTo(index, reached), waits, claims, isAboutOthers };
    }
  }
  return undefined;
}

function waitsAt(state: State, { world, unknownIsHarmless }: Question): readonly Wait[] {
  return waitsIn(state, world, followsOthers(world.cluster, { unknownIsHarmless }));
}

/** Whether a pod waits for one of the volumes while it is attached to another node. */
function isLate({ world }: Question, claims: ReadonlySet<string>): (state: State) => boolean {
  const waited = waitedFor(world.cluster);
  return (state) => waited(state).some((volume) => claims.has(world.cluster.volumes[volume]?.claim.name ?? ''));
}

/** Whether pods of others alone hold what is waited for. */
export function isHeldByOthers({ heldBy }: Wait, { world }: Question): boolean {
  return heldBy.length > 0 && heldBy.every((podClass) => !world.cluster.classes[podClass]?.isOwn);
}
