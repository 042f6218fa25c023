import { idOf } from '../objects/object-key.ts';
import { type AuditedRef, refOfKey, type StandingObjects } from './standing-objects.ts';

/**
 * Objects to judge, each once: those first that a change concerns, in order, then all others that are to be judged again. It
 * never holds more than there are objects.
 */
export class Queue {
  readonly #standing: StandingObjects;
  readonly #asked = new Map<string, AuditedRef>();
  readonly #workloads = new Round<AuditedRef>();
  readonly #claims = new Round<string>();

  constructor(standing: StandingObjects) {
    this.#standing = standing;
  }

  get size(): number {
    return this.#asked.size + this.#workloads.left + this.#claims.left;
  }

  add(ref: AuditedRef): void {
    const id = idOf(ref);
    if (!this.#asked.has(id)) this.#asked.set(id, ref);
  }

  addWorkloads(): void {
    const { workloads } = this.#standing;
    this.#workloads.begin(() =>
      [...workloads()].map(({ kind, metadata: { namespace, name } }) => ({ kind, namespace, name })),
    );
  }

  addEverything(): void {
    this.addWorkloads();
    this.#claims.begin(() => [...this.#standing.claims()]);
  }

  next(): AuditedRef | undefined {
    for (const [id, ref] of this.#asked) {
      this.#asked.delete(id);
      return ref;
    }
    const workload = this.#workloads.next();
    if (workload !== undefined) return workload;
    const claim = this.#claims.next();
    return claim === undefined ? undefined : refOfKey('PersistentVolumeClaim', claim);
  }
}

/** All of a kind, one after the other. Begun anew meanwhile, it goes on with those that were not judged for longest. */
class Round<T> {
  #all: readonly T[] = [];
  #at = 0;
  left = 0;

  begin(all: () => readonly T[]): void {
    if (this.left === 0) {
      this.#all = all();
      this.#at = 0;
    }
    this.left = this.#all.length;
  }

  next(): T | undefined {
    if (this.left === 0) return undefined;
    const one = this.#all[this.#at];
    this.#at = (this.#at + 1) % this.#all.length;
    this.left--;
    if (this.left === 0) this.#all = [];
    return one;
  }
}
