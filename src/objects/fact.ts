/**
 * Something that is either known or openly not known. Unknown is a value: a claim that is not there yet or a list that
 * has not synced must never read as "no".
 */
export type Fact<T> = Known<T> | Unknown;

export interface Known<T> {
  readonly known: true;
  readonly value: T;
}

/** `because` completes the sentence "the answer is open, because …" and names the object in question. */
export interface Unknown {
  readonly known: false;
  readonly because: string;
}

export function known<T>(value: T): Known<T> {
  return { known: true, value };
}

export function unknown(because: string): Unknown {
  return { known: false, because };
}

/** Carries a known value on; an unknown one stays unknown for the same reason. */
export function mapFact<T, U>(fact: Fact<T>, next: (value: T) => U): Fact<U> {
  return fact.known ? known(next(fact.value)) : fact;
}
