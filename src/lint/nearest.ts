import { dirname } from 'node:path';

/** Things of one name that stand in several files. Those nearest to the file that asks count. */
export class Nearest<T extends { readonly file: string }> {
  readonly #all = new Map<string, T[]>();
  readonly #byPlace = new Map<string, ReadonlyMap<PathNode, readonly T[]>>();
  readonly #places = new Map<string, PathNode>();

  add(key: string, thing: T): void {
    const others = this.#all.get(key);
    if (others === undefined) this.#all.set(key, [thing]);
    else others.push(thing);
    this.#byPlace.delete(key);
  }

  /** All things of this key, in the order in which they were added. */
  all(key: string): readonly T[] {
    return this.#all.get(key) ?? [];
  }

  /** The keys of more than one thing, with all of these. */
  *several(): Iterable<readonly [string, readonly T[]]> {
    for (const entry of this.#all) if (entry[1].length > 1) yield entry;
  }

  /**
   * The things of this key in the file itself, else below the nearest folder upwards, else all; in the order in which
   * they were added. Files that meet the same things are given one and the same list, so that what was found out about
   * it need not be found again.
   */
  from(file: string, key: string): readonly T[] {
    const all = this.all(key);
    if (all.length < 2) return all;
    const byPlace = this.#byPlace.get(key) ?? this.#placed(all);
    this.#byPlace.set(key, byPlace);
    for (let place: PathNode | undefined = this.#placeOf(file); place !== undefined; place = place.folder) {
      const found = byPlace.get(place);
      if (found !== undefined) return found;
    }
    return all;
  }

  #placed(things: readonly T[]): ReadonlyMap<PathNode, readonly T[]> {
    const byPlace = new Map<PathNode, T[]>();
    for (const thing of things) {
      for (let place: PathNode | undefined = this.#placeOf(thing.file); place !== undefined; place = place.folder) {
        const others = byPlace.get(place);
        if (others === undefined) byPlace.set(place, [thing]);
        else others.push(thing);
      }
    }
    return byPlace;
  }

  /** One and the same for one path, so that the long names of deep folders are compared once. */
  #placeOf(path: string): PathNode {
    const known = this.#places.get(path);
    if (known !== undefined) return known;
    const above = dirname(path);
    const place = { folder: above === path ? undefined : this.#placeOf(above) };
    this.#places.set(path, place);
    return place;
  }
}

/** A file or a folder, as far as its path names what it lies in. */
interface PathNode {
  readonly folder: PathNode | undefined;
}
