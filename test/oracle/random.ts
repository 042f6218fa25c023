/** A source of chance that gives the same for the same seed, on every machine. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  chance(probability: number): boolean;
  /** From `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(choices: readonly [T, ...T[]] | readonly T[]): T;
  /** Picks by weight; a weight of 0 is never picked. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T;
}

/** mulberry32: 32 bits of state are plenty for a few dozen draws a scenario. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(choices: readonly T[]): T => chosen(choices[between(0, choices.length - 1)]);
  return {
    next,
    chance: (probability) => next() < probability,
    between,
    pick,
    weighted: (choices) => weightedAt(next(), choices),
  };
}

/** Picks by weight what is at this fraction of the whole: from 0 up to, not including, 1. */
export function weightedAt<T>(fraction: number, choices: readonly (readonly [T, number])[]): T {
  let left = fraction * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  return chosen(choices.at(-1))[0];
}

/**
 * Two fractions for scenario `index` of `seed`. Those of successive scenarios are spread so evenly that a hundred of them
 * already have the shares they are meant to have (the sequence R2: multiples of the powers of the plastic number).
 */
export function spreadEvenly(seed: number, index: number): readonly [number, number] {
  const { next } = randomFrom(seed);
  return [(next() + index * 0.7548776662466927) % 1, (next() + index * 0.5698402909980532) % 1];
}

/** Scenario `index` of `seed` is the same whether or not the ones before it are made. */
export function randomForScenario(seed: number, index: number): Random {
  return randomFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
}

function chosen<T>(choice: T | undefined): T {
  if (choice === undefined) throw new Error('There is nothing to choose from');
  return choice;
}
