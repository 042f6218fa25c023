import type { Budget } from '../budget.ts';
import type { Steps } from './cluster.ts';
import { keyOf, type State } from './state.ts';

/** What is searched. */
export interface Search {
  readonly starts: readonly State[];
  /** Steps that nothing undoes and that take nothing from others: the first one that there is is taken, and no other. */
  readonly atOnce: readonly Steps[];
  /** Each of these may come next. */
  readonly steps: readonly Steps[];
  /** What takes its time, so that it comes when nothing else is left to do. */
  readonly slow: readonly Steps[];
}

export interface Looking {
  /** Whether to go on from this state before all others, because something is about to go wrong in it. */
  readonly isUrgent: (state: State) => boolean;
  /** The same for states that differ only in which of the nodes that are alike something is; nothing where none are. */
  readonly symmetry: () => ((state: State) => string) | undefined;
  /** Whether nothing is left to find once this end is met. */
  readonly isLast: (end: State) => boolean;
  /** What a look at a state takes. */
  readonly operations: number;
  readonly budget: Budget;
}

/** The states that can be reached, in the order in which they are met. */
export interface Reached {
  readonly states: readonly State[];
  /** Those from which no step leads. */
  readonly ends: readonly number[];
  /** Whether the budget lasted until there was nothing left to find. */
  readonly isWhole: boolean;
}

/** So many numbers of a state are copied, and compared with those of all others, in the time of one operation. */
export const NUMBERS_OF_AN_OPERATION = 16;

/** One search takes no more than this of what is left, so that something is left for what it finds, and for the others. */
const SHARE = 0.5;

/**
 * Looks at everything that may happen, hazards first: those states that are urgent, and otherwise deep before broad, so
 * that some end is met soon.
 */
export function reach(search: Search, { isUrgent, symmetry, isLast, operations, budget }: Looking): Reached {
  const states: State[] = [];
  const ends: number[] = [];
  let keyIn = keyOf;
  let met = new Set<string>();
  const [urgent, others]: [number[], number[]] = [[], []];
  const meet = (state: State): void => {
    const key = keyIn(state);
    if (met.has(key)) return;
    met.add(key);
    (isUrgent(state) ? urgent : others).push(states.push(state) - 1);
    const alike = states.length === MANY ? symmetry() : undefined;
    if (alike === undefined) return;
    keyIn = alike;
    met = new Set(states.map(alike));
  };
  const least = budget.left * (1 - SHARE);
  for (const start of search.starts) meet(start);
  for (let index = urgent.pop() ?? others.pop(); index !== undefined; index = urgent.pop() ?? others.pop()) {
    if (budget.left - operations < least) {
      budget.giveUp();
      return { states, ends, isWhole: false };
    }
    const state = states[index] ?? [];
    budget.spend(operations);
    const next = nextOf(state, search);
    const each = keyIn === keyOf ? 1 : OPERATIONS_OF_SYMMETRY;
    budget.spend(next.length * each * Math.ceil(state.length / NUMBERS_OF_AN_OPERATION));
    if (next.length === 0) {
      ends.push(index);
      if (isLast(state)) break;
    }
    for (const one of next) meet(one);
  }
  return { states, ends, isWhole: true };
}

/** To look for symmetry takes so many times as long as to look at the state itself. */
const OPERATIONS_OF_SYMMETRY = 4;

/** From so many states on it pays to look for symmetry: most searches have fewer. */
const MANY = 64;

function nextOf(state: State, { atOnce, steps, slow }: Omit<Search, 'starts'>): readonly State[] {
  for (const step of atOnce) {
    const made = step(state);
    if (made.length > 0) return made.slice(0, 1);
  }
  const next = allOf(steps, state);
  return next.length > 0 ? next : allOf(slow, state);
}

function allOf(steps: readonly Steps[], state: State): readonly State[] {
  let all: readonly State[] = [];
  for (const step of steps) {
    const some = step(state);
    if (some.length > 0) all = all.length === 0 ? some : [...all, ...some];
  }
  return all;
}

/**
 * The shortest way to a state of which this is so; nothing where there is none, or the budget ends before one is found.
 */
export function shortestWay(
  search: Search,
  isMeant: (state: State, isEnd: boolean) => boolean,
  { operations, budget }: Pick<Looking, 'operations' | 'budget'>,
): readonly State[] | undefined {
  return budget.answer(() => {
    const states: State[] = [];
    const from: number[] = [];
    const met = new Set<string>();
    const meet = (state: State, before: number): void => {
      const key = keyOf(state);
      if (met.has(key)) return;
      met.add(key);
      states.push(state);
      from.push(before);
    };
    for (const start of search.starts) meet(start, -1);
    for (let index = 0; index < states.length; index++) {
      const state = states[index] ?? [];
      budget.spend(operations);
      const next = nextOf(state, search);
      budget.spend(next.length * Math.ceil(state.length / NUMBERS_OF_AN_OPERATION));
      if (isMeant(state, next.length === 0)) return wayTo(index, states, from);
      for (const one of next) meet(one, index);
    }
    return undefined;
  }, undefined);
}

function wayTo(index: number, states: readonly State[], from: readonly number[]): readonly State[] {
  const way: State[] = [];
  for (let at = index; at >= 0; at = from[at] ?? -1) way.push(states[at] ?? []);
  return way.toReversed();
}
