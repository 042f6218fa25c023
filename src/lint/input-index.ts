import { ALL_KINDS } from '../objects/kinds.ts';
import { sameJson } from '../objects/same-json.ts';
import { type InputObject, idsOf, isPlaced, termsOf } from './input-object.ts';
import { Nearest } from './nearest.ts';

/** How many references of an object are compared to tell its stage: those of one stage are alike. */
const MOST_REFERENCES = 64;

/**
 * The objects of the input by their ids, and by what else they are looked up by, as each file meets them. Where the input
 * has several objects of one id that may not be one object, as a chart has that is rendered for two stages, a file meets the
 * nearest of them, and those others that meet the same.
 */
export class InputIndex {
  readonly #objects = new Nearest<InputObject>();
  /** The ids of which there are several. */
  readonly #rivals = new Set<string>();
  /** Objects that have rivals, or refer to one that has, with the ids that tell which stage they belong to. */
  readonly #parted = new Map<InputObject, readonly string[]>();
  /** The ids of objects, by what they are looked up by. */
  readonly #byTerm = new Map<string, Set<string>>();
  /** The terms of objects that share their id with others. */
  readonly #terms = new Map<InputObject, ReadonlySet<string>>();
  readonly #inDoubt = new Map<readonly InputObject[], readonly InputObject[]>();

  constructor(objects: readonly InputObject[]) {
    for (const object of objects) for (const id of idsOf(object)) this.#objects.add(id, object);
    for (const [id, several] of this.#objects.several()) if (areRivals(several)) this.#rivals.add(id);
    if (this.#rivals.size > 0) for (const object of objects) this.#connect(object);
    for (const object of objects) this.#addTerms(object);
  }

  #connect(object: InputObject): void {
    const refersTo = object.refersTo();
    if (![...idsOf(object), ...refersTo].some((id) => this.#rivals.has(id))) return;
    const telling = refersTo.filter((id) => this.#objects.all(id).length > 1);
    this.#parted.set(object, telling.slice(0, MOST_REFERENCES));
  }

  #addTerms(object: InputObject): void {
    const { file, id } = object;
    const terms = termsOf(object);
    if (this.#objects.all(id).length > 1) this.#terms.set(object, new Set(terms));
    for (const term of terms) {
      const met = this.#asMetFrom(file, term);
      const ids = this.#byTerm.get(met);
      if (ids === undefined) this.#byTerm.set(met, new Set([id]));
      else ids.add(id);
    }
  }

  /** A term that is an id of several objects stands for the nearest: users of the others are not even looked at. */
  #asMetFrom(file: string, term: string): string {
    return this.#rivals.has(term) ? `${term} of ${this.nearest(file, term)?.nth}` : term;
  }

  /** The object of this id that counts for a file. */
  nearest(file: string, id: string): InputObject | undefined {
    return this.#objects.from(file, id).at(-1);
  }

  /** The objects of this id that are as near as the one that counts, and say something else than it. */
  inDoubt(file: string, id: string): readonly InputObject[] {
    const near = this.#objects.from(file, id);
    const found = this.#inDoubt.get(near) ?? near.filter(({ object }) => !sameJson(object, near.at(-1)?.object));
    this.#inDoubt.set(near, found);
    return found;
  }

  /** Whether the file meets the object: it is the nearest of its id, and refers to what is the nearest for the file too. */
  counts(file: string, object: InputObject): boolean {
    if (this.nearest(file, object.id) !== object) return false;
    if (file === object.file) return true;
    const telling = this.#parted.get(object) ?? [];
    return telling.every((id) => this.nearest(file, id) === this.nearest(object.file, id));
  }

  /** The objects under this term that count for the file; only the first `most` are looked at. */
  under(file: string, term: string, most: number): FoundObjects {
    const ids = this.#byTerm.get(this.#asMetFrom(file, term)) ?? NONE;
    const objects: InputObject[] = [];
    let left = most;
    for (const id of ids) {
      if (left-- === 0) break;
      const object = this.nearest(file, id);
      if (object !== undefined && this.#isUnder(object, term) && this.counts(file, object)) objects.push(object);
    }
    return { objects: this.nearFirst(this.#byKind(file, objects)), more: Math.max(0, ids.size - most) };
  }

  #isUnder(object: InputObject, term: string): boolean {
    return this.#terms.get(object)?.has(term) ?? true;
  }

  /** Puts objects of the file's own stage before all others. */
  nearFirst(objects: readonly InputObject[]): readonly InputObject[] {
    const isNear = (object: InputObject): boolean => this.#parted.has(object);
    return [...objects.filter(isNear), ...objects.filter((object) => !isNear(object))];
  }

  /** Sorts objects by kind, and puts the file's own first among those of one kind. */
  #byKind(file: string, objects: readonly InputObject[]): readonly InputObject[] {
    const rank = (object: InputObject): number => {
      const isOwn = object.file === file && this.#parted.has(object);
      return ALL_KINDS.indexOf(object.read.kind) * 2 + (isOwn ? 0 : 1);
    };
    return objects.toSorted((a, b) => rank(a) - rank(b));
  }

  isParted(object: InputObject): boolean {
    return this.#parted.has(object);
  }
}

export interface FoundObjects {
  readonly objects: readonly InputObject[];
  /** How many were not looked at. */
  readonly more: number;
}

const NONE: ReadonlySet<string> = new Set();

/** Two that name their place and say the same are one object, which was written down twice. */
function areRivals([first, ...others]: readonly InputObject[]): boolean {
  if (first === undefined) return false;
  return !isPlaced(first) || others.some(({ object }) => !sameJson(object, first.object));
}
