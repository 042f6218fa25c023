import type { Budget } from '../budget.ts';
import { unknown } from '../objects/fact.ts';
import { idOf } from '../objects/object-key.ts';
import type { LookedUp, ObjectRef } from '../snapshot/snapshot.ts';

/** Asks the API server for objects by name; never rejects, an object that could not be read is an unknown fact. */
export type LookUp = (refs: readonly ObjectRef[], signal: AbortSignal) => Promise<readonly LookedUp[]>;

/** A pod rarely has as many claims that the watch has not brought yet, with their volumes and classes. */
const MOST_LOOKUPS = 16;

const TOO_MANY = unknown(`one request looks up no more than ${MOST_LOOKUPS} objects that are not known yet`);

/** What one review asked for by name, each object once, and so many in all; the others are unknown for one reason. */
export class LookUps {
  readonly #lookUp: LookUp;
  readonly #budget: Budget;
  readonly #found = new Map<string, LookedUp>();
  #left = MOST_LOOKUPS;

  constructor(lookUp: LookUp, budget: Budget) {
    this.#lookUp = lookUp;
    this.#budget = budget;
  }

  get found(): readonly LookedUp[] {
    return [...this.#found.values()];
  }

  has(ref: ObjectRef): boolean {
    return this.#found.has(idOf(ref));
  }

  add(object: LookedUp): void {
    this.#found.set(idOf(object), object);
  }

  async ask(refs: readonly ObjectRef[], signal: AbortSignal): Promise<void> {
    const [asked, others] = [refs.slice(0, this.#left), refs.slice(this.#left)];
    this.#left -= asked.length;
    if (others.length > 0) this.#budget.giveUp();
    for (const ref of others) this.add({ ...ref, found: TOO_MANY });
    if (asked.length > 0) for (const object of await this.#lookUp(asked, signal)) this.add(object);
  }
}
