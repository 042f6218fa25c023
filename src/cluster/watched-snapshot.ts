import { type Fact, known, unknown } from '../objects/fact.ts';
import { ALL_KINDS, KINDS, type Kind, type ListName } from '../objects/kinds.ts';
import { type ObjectsByKind, readAs } from '../objects/read-object.ts';
import { ClusterState, type ClusterTables } from '../snapshot/cluster-state.ts';
import type { Table } from '../snapshot/indexed-table.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import type { ApiConnection } from './connection.ts';
import { Interned } from './interned.ts';
import { type Logger, REFUSED_FOR_GOOD_MS, Reflector, type ReflectorState } from './reflector.ts';
import { realTime, type Time } from './time.ts';

export interface WatchedSnapshotOptions {
  readonly connection: ApiConnection;
  readonly log: Logger;
  readonly time?: Time;
  /** After how many milliseconds without a word a list is stale. */
  readonly staleAfterMs?: number;
  /** Told of every object that was set or deleted, by its key in that list, after the change. */
  readonly onChange?: (list: ListName, key: string) => void;
}

export type Readiness =
  /** `but` says what else there is to know. */
  { readonly ready: true; readonly but?: string } | { readonly ready: false; readonly because: string };

/** Bookmarks come every minute, and where none come a silent watch is taken up again every minute and a half. */
export const STALE_AFTER_MS = 120_000;

/** One list's numbers for `rwo_guard_watch_*`. */
export interface ListStats extends ReflectorState {
  readonly list: ListName;
  /** Seconds since the last list, event or bookmark; `undefined` before the first. */
  readonly lastEventAgeSeconds: number | undefined;
  /** Whether nothing was heard for too long to go by what the list holds. */
  readonly stale: boolean;
}

/** The tables by kind, of whatever kind each is. */
type Tables = { readonly [K in Kind]: Table<ObjectsByKind[K]> };

type AnyReflector = Pick<
  Reflector<unknown>,
  'start' | 'stop' | 'state' | 'synced' | 'problem' | 'refusedSince' | 'staleForMs'
>;

/** The cluster's state, kept up to date by one reflector for each list. */
export class WatchedSnapshot {
  /** The state as far as it is known: each list is unknown until it has been listed, and while it may not be. */
  readonly snapshot: ClusterSnapshot;
  /** The same objects, for whoever may walk over all of them. */
  readonly tables: ClusterTables;
  readonly #reflectors: ReadonlyMap<ListName, AnyReflector>;
  readonly #time: Time;

  constructor({ connection, log, time = realTime, staleAfterMs = STALE_AFTER_MS, onChange }: WatchedSnapshotOptions) {
    const state = new ClusterState((list) => this.#available(list));
    const tables: Tables = state.tables;
    const interned = new Interned();
    const reflector = <K extends Kind>(kind: K): AnyReflector =>
      new Reflector({
        kind,
        table: tables[kind],
        read: (object) => interned.object(kind, readAs(kind, object)),
        connection,
        log,
        time,
        staleAfterMs,
        onChange: onChange && ((key: string) => onChange(KINDS[kind].list, key)),
      });
    this.snapshot = state;
    this.tables = state.tables;
    this.#time = time;
    this.#reflectors = new Map(ALL_KINDS.map((kind) => [KINDS[kind].list, reflector(kind)]));
  }

  start(): void {
    for (const reflector of this.#reflectors.values()) reflector.start();
  }

  /** Stops for good; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.stop()));
  }

  /**
   * Ready when every list has been read, or has been refused for so long that waiting is of no use. Stale lists are named, and
   * change nothing: all replicas have them together, and none of them would be left to warn.
   */
  ready(): Readiness {
    const waiting = [...this.#reflectors].filter(
      ([, reflector]) => !reflector.synced && !this.#refusedForGood(reflector),
    );
    if (waiting.length === 0) return this.#readyBut();
    const lists = waiting.map(([list, { problem }]) => (problem === undefined ? list : `${list} (${problem.message})`));
    return { ready: false, because: `not listed yet: ${lists.join(', ')}` };
  }

  /**
   * Whether every list that may be read is heard of right now. Where one is not, what two of them say together need never have
   * been so: a workload may be there without its claim.
   */
  hearsAll(): boolean {
    for (const reflector of this.#reflectors.values()) {
      if (reflector.problem !== undefined && !this.#refusedForGood(reflector)) return false;
    }
    return this.ready().ready;
  }

  stats(): readonly ListStats[] {
    const now = this.#time.now();
    return [...this.#reflectors].map(([list, reflector]) => {
      const state = reflector.state();
      const { lastEventAt } = state;
      return {
        ...state,
        list,
        lastEventAgeSeconds: lastEventAt === undefined ? undefined : (now - lastEventAt) / 1000,
        stale: this.#staleSeconds(reflector) !== undefined,
      };
    });
  }

  /**
   * An API server that is just starting refuses everybody for a moment, so a list that was read stays in force until the
   * refusal has lasted.
   */
  #available(list: ListName): Fact<true> {
    const reflector = this.#reflectors.get(list);
    if (reflector === undefined) return unknown(`${list} are not watched`);
    const { synced, refusedSince } = reflector;
    if (synced && (refusedSince === undefined || !this.#refusedForGood(reflector))) return AVAILABLE;
    if (refusedSince !== undefined) return unknown(`${list} cannot be listed: permission missing (list, watch)`);
    return unknown(`${list} have not been listed yet`);
  }

  /**
   * Seconds for which nothing has been heard of the cluster, where that is too long to go by; `undefined` where all is
   * current. One silent list is enough: nearly every answer is made from all of them, and their watches, which end at
   * the same API server, fall silent together. One that may not be read is unknown anyhow.
   */
  staleFor(): number | undefined {
    let longest: number | undefined;
    for (const reflector of this.#reflectors.values()) {
      const seconds = this.#staleSeconds(reflector);
      if (seconds !== undefined && (longest === undefined || seconds > longest)) longest = seconds;
    }
    return longest;
  }

  #staleSeconds(reflector: AnyReflector): number | undefined {
    const { staleForMs } = reflector;
    return staleForMs === undefined || this.#refusedForGood(reflector) ? undefined : staleForMs / 1000;
  }

  #readyBut(): Readiness {
    const stale = [...this.#reflectors].flatMap(([list, reflector]) => {
      const seconds = this.#staleSeconds(reflector);
      return seconds === undefined ? [] : [`${list} (${Math.floor(seconds)} s)`];
    });
    if (stale.length === 0) return { ready: true };
    return { ready: true, but: `stale, so that findings warn and do not deny: ${stale.join(', ')}` };
  }

  #refusedForGood({ refusedSince }: AnyReflector): boolean {
    return refusedSince !== undefined && this.#time.now() - refusedSince >= REFUSED_FOR_GOOD_MS;
  }
}

const AVAILABLE = known<true>(true);
