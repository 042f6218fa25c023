import { dirname } from 'node:path';

/** Things of one name that stand in several files. Those nearest to the file that asks count. */
export class Nearest<T extends { readonly file: string }> {
  readonly #all = new Map<string, T[]>();
  readonly #byPlace = new Map<string, ReadonlyMap<string, readonly T[]>>();

  add(key: string, thing: T): void {
    const others = this.#all.get(key);
    if (others === undefined) this.#all.set(key, [thing]);
    else others.push(thing);
    this.#byPlace.delete(key);
  }

  /** The keys of more than one thing, with all of these. */
  *several(): Iterable<readonly [string, readonly T[]]> {
    for (const entry of this.#all) if (entry[1].length > 1) yield entry;
  }

  /** Those in the file itself, else below the nearest folder upwards, else all; in the order in which they were added. */
  from(file: string, key: string): readonly T[] {
    const all = this.#all.get(key) ?? [];
    if (all.length < 2) return all;
    const byPlace = this.#byPlace.get(key) ?? placed(all);
    this.#byPlace.set(key, byPlace);
    for (const place of placesOf(file)) {
      const found = byPlace.get(place);
      if (found !== undefined) return found;
    }
    return all;
  }
}

function placed<T extends { readonly file: string }>(things: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const byPlace = new Map<string, T[]>();
  for (const thing of things) {
    for (const place of placesOf(thing.file)) {
      const others = byPlace.get(place);
      if (others === undefined) byPlace.set(place, [thing]);
      else others.push(thing);
    }
  }
  return byPlace;
}

/** The file and all folders above it, as far as its path names them. */
function placesOf(file: string): readonly string[] {
  const places = [file];
  for (let place = dirname(file); place !== places.at(-1); place = dirname(place)) places.push(place);
  return places;
}
