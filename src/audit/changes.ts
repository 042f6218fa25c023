import { ALL_KINDS, KINDS, type Kind, type ListName } from '../objects/kinds.ts';

/** Some object was set or deleted. */
export interface Change {
  readonly kind: Kind;
  /** As `namespace/name`, or `name`; absent where so many of the kind changed that nobody remembers which. */
  readonly key: string | undefined;
  /** Since when, in milliseconds. */
  readonly since: number;
}

/**
 * Objects of one list that are remembered. One that is read anew tells of all that it holds, a hundred thousand maybe, and to
 * judge everything again costs no more than to find out whom each of them concerns.
 */
const MOST_OF_LIST = 1_000;

/**
 * What comes together is looked at together: a claim after the workload that mounts it, labels after the node. Nothing is to
 * be told of what stands in between.
 */
export const SETTLED_AFTER_MS = 1_000;

/** What has changed and nobody has looked into: each object once, in the order in which they came. */
export class Changes {
  readonly #changes = new Map<string, Change>();
  readonly #remembered = new Map<ListName, number>();

  /** Called for every event of every watch, in the middle of it, so it does next to nothing. */
  add(list: ListName, key: string, now: number): void {
    const remembered = this.#remembered.get(list) ?? 0;
    if (remembered > MOST_OF_LIST) return;
    const kind = KIND_OF_LIST.get(list);
    const id = `${list} ${key}`;
    if (kind === undefined || this.#changes.has(id)) return;
    this.#remembered.set(list, remembered + 1);
    if (remembered < MOST_OF_LIST) this.#changes.set(id, { kind, key, since: now });
    else this.#crowd(list, kind, now);
  }

  #crowd(list: ListName, kind: Kind, now: number): void {
    for (const [id, change] of this.#changes) if (change.kind === kind) this.#changes.delete(id);
    this.#changes.set(list, { kind, key: undefined, since: now });
  }

  get size(): number {
    return this.#changes.size;
  }

  /** Takes out the first, once it has settled. */
  next(now: number): Change | undefined {
    for (const [id, change] of this.#changes) {
      if (change.since + SETTLED_AFTER_MS > now) return undefined;
      this.#changes.delete(id);
      const list = KINDS[change.kind].list;
      this.#remembered.set(list, change.key === undefined ? 0 : (this.#remembered.get(list) ?? 1) - 1);
      return change;
    }
    return undefined;
  }

  clear(): void {
    this.#changes.clear();
    this.#remembered.clear();
  }
}

const KIND_OF_LIST: ReadonlyMap<ListName, Kind> = new Map(ALL_KINDS.map((kind) => [KINDS[kind].list, kind]));
