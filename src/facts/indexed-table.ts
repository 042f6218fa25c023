/** Objects of one list by `namespace/name`, or by `name` where they have no namespace. */
export interface Table<T> {
  set(key: string, object: T): void;
  delete(key: string): void;
  keys(): Iterable<string>;
}

/** A table that also finds its objects by what they say: a claim that they mount, a disk that they are. */
export class IndexedTable<T> implements Table<T> {
  readonly #objects = new Map<string, T>();
  /** Lists, because nearly all hold a single key, and a Set for each would weigh more than the objects. */
  readonly #byTerm = new Map<string, readonly string[]>();
  readonly #termsOf: (object: T) => readonly string[];

  constructor(termsOf: (object: T) => readonly string[]) {
    this.#termsOf = termsOf;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  under(term: string): readonly T[] {
    return (this.#byTerm.get(term) ?? []).flatMap((key) => this.#objects.get(key) ?? []);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  clear(): void {
    this.#objects.clear();
    this.#byTerm.clear();
  }

  set(key: string, object: T): void {
    this.delete(key);
    this.#objects.set(key, object);
    for (const term of this.#termsOf(object)) this.#byTerm.set(term, [...(this.#byTerm.get(term) ?? []), key]);
  }

  delete(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    for (const term of this.#termsOf(object)) {
      const others = (this.#byTerm.get(term) ?? []).filter((other) => other !== key);
      if (others.length === 0) this.#byTerm.delete(term);
      else this.#byTerm.set(term, others);
    }
  }
}
