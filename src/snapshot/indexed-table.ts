/** Objects of one list by `namespace/name`, or by `name` where they have no namespace. */
export interface Table<T> {
  get(key: string): T | undefined;
  set(key: string, object: T): void;
  delete(key: string): void;
  keys(): Iterable<string>;
}

/** A table that also finds its objects by what they say: a claim that they mount, a disk that they are. */
export class IndexedTable<T> implements Table<T> {
  readonly #objects = new Map<string, T>();
  /** Nearly all terms have a single key, and a Set for each would weigh more than the objects. */
  readonly #byTerm = new Map<string, string | Set<string>>();
  readonly #termsOf: (object: T) => readonly string[];

  constructor(termsOf: (object: T) => readonly string[]) {
    this.#termsOf = termsOf;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The objects with their keys, those first that were set first. */
  [Symbol.iterator](): Iterator<readonly [string, T]> {
    return this.#objects.entries();
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** Whether there is any object under the term. */
  has(term: string): boolean {
    return this.#byTerm.has(term);
  }

  /** The objects under a term, no more than `most` of them, so that nobody walks over a crowd. */
  under(term: string, most = Number.POSITIVE_INFINITY): readonly T[] {
    const keys = this.#byTerm.get(term);
    if (keys === undefined) return [];
    const found: T[] = [];
    for (const key of typeof keys === 'string' ? [keys] : keys) {
      if (found.length >= most) break;
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  set(key: string, object: T): void {
    this.delete(key);
    this.#objects.set(key, object);
    for (const term of this.#termsOf(object)) this.#addUnder(term, key);
  }

  delete(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    for (const term of this.#termsOf(object)) this.#deleteUnder(term, key);
  }

  #addUnder(term: string, key: string): void {
    const keys = this.#byTerm.get(term);
    if (keys instanceof Set) keys.add(key);
    else this.#byTerm.set(term, keys === undefined ? key : new Set([keys, key]));
  }

  #deleteUnder(term: string, key: string): void {
    const keys = this.#byTerm.get(term);
    if (keys instanceof Set) keys.delete(key);
    if (keys === key || (keys instanceof Set && keys.size === 0)) this.#byTerm.delete(term);
  }
}
