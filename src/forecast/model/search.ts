import type { Steps } from './cluster.ts';
import { keyOf, type State } from './state.ts';

/** How many states may still be looked at, by all searches of one review. */
export interface Budget {
  left: number;
}

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

/** The states that can be reached, in the order in which they are met, which is the order of their distance from a start. */
export interface Reached {
  readonly states: readonly State[];
  /** By the index of a state, that of the one before it; -1 for a start. */
  readonly from: readonly number[];
  /** Those from which no step leads. */
  readonly ends: readonly number[];
  /** Whether the budget lasted. */
  readonly isWhole: boolean;
}

/** Looks at everything that may happen, breadth first, so that the shortest way to a state is found. */
export function reach(search: Search, budget: Budget): Reached {
  const states: State[] = [];
  const from: number[] = [];
  const ends: number[] = [];
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
    if (budget.left <= 0) return { states, from, ends, isWhole: false };
    budget.left--;
    const state = states[index] ?? [];
    const next = nextOf(state, search);
    if (next.length === 0) ends.push(index);
    for (const one of next) meet(one, index);
  }
  return { states, from, ends, isWhole: true };
}

function nextOf(state: State, { atOnce, steps, slow }: Omit<Search, 'starts'>): readonly State[] {
  for (const step of atOnce) {
    const [one] = step(state);
    if (one !== undefined) return [one];
  }
  const next: State[] = [];
  for (const step of steps) next.push(...step(state));
  if (next.length > 0) return next;
  for (const step of slow) next.push(...step(state));
  return next;
}

/** The way to a state, from a start. */
export function wayTo(index: number, { states, from }: Reached): readonly State[] {
  const way: State[] = [];
  for (let at = index; at >= 0; at = from[at] ?? -1) way.push(states[at] ?? []);
  return way.toReversed();
}
