import { type JsonObject, objectAt, stringAt } from '../objects/json.ts';
import { KINDS, type Kind, type ListName } from '../objects/kinds.ts';
import { keyOf } from '../objects/object-key.ts';
import type { Table } from '../snapshot/indexed-table.ts';
import { ApiError, type ApiProblem, apiErrorFrom, problemOf } from './api-error.ts';
import { listPath } from './api-resource.ts';
import { Backoff } from './backoff.ts';
import type { ApiConnection } from './connection.ts';
import { listPages } from './list-pages.ts';
import type { Time } from './time.ts';
import { type WatchEvent, watchEvents } from './watch-stream.ts';

/** The part of a pino logger that is used here: fields first, then a constant sentence. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface ReflectorOptions<T> {
  readonly kind: Kind;
  readonly table: Table<T>;
  /** Keeps what is needed of an object; `undefined` leaves it out, UnreadableObjectError skips and counts it. */
  readonly read: (object: JsonObject) => T | undefined;
  readonly connection: ApiConnection;
  readonly log: Logger;
  readonly time: Time;
  /** After how many milliseconds without a word the list is stale. */
  readonly staleAfterMs: number;
  /** Called after the table has changed, once for each key that was set or deleted; what it throws is logged. */
  readonly onChange?: ((key: string) => void) | undefined;
}

/** How a list is doing. Times are in milliseconds since 1970. */
export interface ReflectorState {
  readonly synced: boolean;
  readonly objects: number;
  /** Objects that were skipped because they could not be read. */
  readonly unreadable: number;
  /** Watches that were begun after the first one. */
  readonly restarts: number;
  /** Whole lists that were read after the first one. */
  readonly relists: number;
  /** The last list, watch that was taken up, event or bookmark. */
  readonly lastEventAt: number | undefined;
  readonly resourceVersion: string | undefined;
  /** What is wrong now; `undefined` while the watch is open. */
  readonly problem: ApiProblem | undefined;
  /** Since when the API server has refused (403, 404) to list or to watch. */
  readonly refusedSince: number | undefined;
}

/** The range that client-go chooses from is 300 to 600 s: all watches of a restarted API server do not end together. */
const SHORTEST_WATCH_S = 300;
const LONGEST_WATCH_S = 600;

/** A watch that held this long was no failed attempt, so the next one is begun at once. */
const SETTLED_MS = 5_000;

/** A server that asks to be left alone for longer is asked again all the same. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** A list that is refused for this long is reported, and nobody waits for it any more. */
export const REFUSED_FOR_GOOD_MS = 30_000;

/**
 * Keeps a table equal to a list of the API server: reads it page by page, then watches it, and never gives up. While the
 * table is read again its old contents stay; the new ones replace them in one go.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T> & { readonly list: ListName };
  readonly #path: string;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #watches = 0;
  #lists = 0;
  #unreadable = 0;
  #lastEventAt: number | undefined;
  #resourceVersion: string | undefined;
  #problem: ApiProblem | undefined;
  #refusedSince: number | undefined;
  #refusalReported = false;
  #staleReported = false;

  constructor(options: ReflectorOptions<T>) {
    this.#options = { ...options, list: KINDS[options.kind].list };
    this.#path = listPath(options.kind);
    this.#backoff = new Backoff(options.time.random);
  }

  /** Does nothing when it has been started or stopped before. */
  start(): void {
    const { signal } = this.#stopping;
    if (!signal.aborted) this.#running ??= this.#run(signal);
  }

  /** Resolves when nothing runs any more; the table is not touched again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  get synced(): boolean {
    return this.#lists > 0;
  }

  get problem(): ApiProblem | undefined {
    return this.#problem;
  }

  /** Milliseconds for which nothing was heard of a list that was read, where that is too long; else `undefined`. */
  get staleForMs(): number | undefined {
    if (this.#lastEventAt === undefined) return undefined;
    const { time, staleAfterMs } = this.#options;
    const silentMs = time.now() - this.#lastEventAt;
    return silentMs >= staleAfterMs ? silentMs : undefined;
  }

  get refusedSince(): number | undefined {
    return this.#refusedSince;
  }

  /** Counts the objects one by one, so it is for metrics and not for the way of a request. */
  state(): ReflectorState {
    let objects = 0;
    for (const _key of this.#options.table.keys()) objects++;
    return {
      synced: this.synced,
      objects,
      unreadable: this.#unreadable,
      restarts: Math.max(0, this.#watches - 1),
      relists: Math.max(0, this.#lists - 1),
      lastEventAt: this.#lastEventAt,
      resourceVersion: this.#resourceVersion,
      problem: this.#problem,
      refusedSince: this.#refusedSince,
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { time } = this.#options;
    while (!signal.aborted) {
      let retryAfterMs = 0;
      try {
        const from = this.#resourceVersion ?? (await this.#list(signal));
        await this.#watch(from, signal);
      } catch (error) {
        if (signal.aborted) return;
        retryAfterMs = this.#failed(error);
      }
      await time.sleep(Math.max(retryAfterMs, this.#backoff.next()), signal);
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { connection, time } = this.#options;
    const objects = new Map<string, T>();
    const resourceVersion = await listPages(connection, this.#path, (item) => this.#collect(item, objects), signal);
    const changed = this.#replaceAll(objects);
    this.#lists++;
    this.#resourceVersion = resourceVersion;
    this.#lastEventAt = time.now();
    for (const key of changed) this.#changed(key);
    return resourceVersion;
  }

  /** Nobody reads the table before the first list is complete, so that one is spread over the time that it takes. */
  #collect(item: JsonObject, objects: Map<string, T>): void {
    const entry = this.#entry(item);
    if (entry === undefined) return;
    const [key, object] = entry;
    objects.set(key, object);
    if (!this.synced) this.#options.table.set(key, object);
  }

  /** Replaces the list in one go, so that nobody ever sees a part of it or none. Returns the keys that were touched. */
  #replaceAll(objects: ReadonlyMap<string, T>): readonly string[] {
    const { table } = this.#options;
    const gone = [...table.keys()].filter((key) => !objects.has(key));
    if (this.synced) for (const [key, object] of objects) table.set(key, object);
    for (const key of gone) table.delete(key);
    return [...objects.keys(), ...gone];
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { connection, time } = this.#options;
    const seconds = SHORTEST_WATCH_S + Math.floor(time.random() * (LONGEST_WATCH_S - SHORTEST_WATCH_S + 1));
    const query = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion, timeoutSeconds: String(seconds) };
    this.#watches++;
    const chunks = await connection.stream(this.#path, query, { signal });
    signal.throwIfAborted();
    this.#recovered();
    const openedAt = time.now();
    this.#lastEventAt = openedAt; // whatever has changed since the version that was asked for comes now
    try {
      for await (const event of watchEvents(chunks)) {
        signal.throwIfAborted();
        this.#apply(event);
      }
    } catch (error) {
      if (problemOf(error).code !== SILENT) throw error;
    } finally {
      if (time.now() - openedAt >= SETTLED_MS) this.#backoff.reset();
    }
  }

  #apply({ type, object }: WatchEvent): void {
    if (type === 'ERROR') throw apiErrorFrom(`watching ${this.#options.list}`, object);
    this.#resourceVersion = stringAt(objectAt(object, 'metadata'), 'resourceVersion') ?? this.#resourceVersion;
    this.#lastEventAt = this.#options.time.now();
    if (type === 'BOOKMARK') return;
    const { table } = this.#options;
    const key = keyOfObject(object);
    const entry = type === 'DELETED' ? undefined : this.#entry(object);
    if (entry === undefined) table.delete(key);
    else table.set(key, entry[1]);
    this.#changed(key);
  }

  /** What is kept of an object, or `undefined`. One that cannot be read must not stop all the others. */
  #entry(object: JsonObject): readonly [string, T] | undefined {
    const { list, log, read } = this.#options;
    try {
      const value = read(object);
      return value === undefined ? undefined : [keyOfObject(object), value];
    } catch (error) {
      if (this.#unreadable++ === 0) log.warn({ list, err: error }, 'skipping objects that cannot be read');
      return undefined;
    }
  }

  #changed(key: string): void {
    const { list, log, onChange } = this.#options;
    try {
      onChange?.(key);
    } catch (error) {
      log.warn({ list, key, err: error }, 'nobody was told of a change');
    }
  }

  /** Notes what went wrong and returns for how many milliseconds the server wants to be left alone. */
  #failed(error: unknown): number {
    const problem = problemOf(error);
    const { list, log } = this.#options;
    const answer = error instanceof ApiError ? error : undefined;
    if (answer?.expired) {
      this.#resourceVersion = undefined;
      log.info({ list, ...problem }, 'listing again');
    } else if (answer?.refused) this.#refused(problem);
    else if (problem.code !== this.#problem?.code) log.warn({ list, ...problem }, 'watch interrupted');
    this.#problem = problem;
    this.#reportStale();
    return Math.min(answer?.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS);
  }

  #refused(problem: ApiProblem): void {
    const { list, log, time } = this.#options;
    const now = time.now();
    this.#refusedSince ??= now;
    if (this.#refusalReported || now - this.#refusedSince < REFUSED_FOR_GOOD_MS) return;
    this.#refusalReported = true;
    log.warn({ list, verbs: ['list', 'watch'], ...problem }, 'list refused');
  }

  #reportStale(): void {
    const { list, log } = this.#options;
    const { staleForMs } = this;
    if (this.#staleReported || staleForMs === undefined) return;
    this.#staleReported = true;
    log.warn({ list, seconds: Math.floor(staleForMs / 1000) }, 'list is stale: findings warn and do not deny');
  }

  #recovered(): void {
    const { list, log } = this.#options;
    if (this.#problem !== undefined) log.info({ list }, 'watching again');
    this.#staleReported = false;
    this.#problem = undefined;
    this.#refusedSince = undefined;
    this.#refusalReported = false;
  }
}

/**
 * undici's word for a body that has fallen silent. That is an ordinary end: a list in which nothing happens gets no
 * bookmarks either, and if the peer is dead the next attempt says so.
 */
const SILENT = 'UND_ERR_BODY_TIMEOUT';

function keyOfObject(object: JsonObject): string {
  const metadata = objectAt(object, 'metadata');
  return keyOf(stringAt(metadata, 'namespace') ?? '', stringAt(metadata, 'name') ?? '');
}
