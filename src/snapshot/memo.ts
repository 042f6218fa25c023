/** What is made of an object once. It keeps the object, so it has to be of one review, as whatever it is of. */
export class Memo<Key extends object, Value> {
  readonly #made = new Map<Key, Value>();

  of(key: Key, make: (key: Key) => Value): Value {
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const value = make(key);
    this.#made.set(key, value);
    return value;
  }
}
