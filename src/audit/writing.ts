import { ApiError, problemOf } from '../cluster/api-error.ts';
import { Backoff } from '../cluster/backoff.ts';
import type { Logger } from '../cluster/reflector.ts';
import type { Time } from '../cluster/time.ts';
import { idOf } from '../objects/object-key.ts';
import type { JudgedObject } from './found.ts';

/** What writes need beside what they write. */
export interface WritingOptions {
  /** What is written, for the log and the metrics. */
  readonly what: 'events' | 'reports';
  readonly log: Logger;
  readonly time: Time;
  /** Counts a failure. */
  readonly failed: (what: 'events' | 'reports') => void;
}

/** How often there is a look for something to write; nothing that is written is looked at sooner. */
const POLL_MS = 200;

/** From one object to the next, so that a cluster full of findings is told of without a crowd of writes: 50 a second. */
const PACE_MS = 20;

/** From one object to the next where nothing was to be written: reviews come in between. */
const YIELD_MS = 1;

/**
 * An API server that is just starting refuses everybody for a moment. Whoever is refused for longer, as in a namespace that is
 * being deleted, waits until the object is judged again.
 */
export const REFUSED_AGAIN_MS = 10_000;
export const MOST_REFUSALS = 3;

/** Objects that something may have to be written of, each once, with what is known of them last. */
export class Writing {
  readonly #options: WritingOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #backoff: Backoff;
  /** When each problem was logged last. */
  readonly #logged = new Map<string, number>();

  constructor(options: WritingOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.time.random);
  }

  add(judged: JudgedObject): void {
    this.#waiting.set(idOf(judged.ref), { judged, refusals: 0, notBefore: 0 });
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Does what there is to do, until the signal ends it. `write` says whether it wrote anything. */
  async run(write: (judged: JudgedObject) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const { time } = this.#options;
    while (!signal.aborted) {
      const waiting = this.#next();
      if (waiting === undefined) {
        await time.sleep(POLL_MS, signal);
        continue;
      }
      const wrote = await this.attempt(() => write(waiting.judged), signal);
      if (wrote === 'later') this.#addAgain(waiting);
      if (wrote === 'refused' && waiting.refusals < MOST_REFUSALS) {
        const notBefore = time.now() + REFUSED_AGAIN_MS;
        this.#addAgain({ ...waiting, refusals: waiting.refusals + 1, notBefore });
      }
      await time.sleep(wrote === false ? YIELD_MS : PACE_MS, signal);
    }
  }

  /** Takes out the first that need not wait any longer. */
  #next(): Waiting | undefined {
    const now = this.#options.time.now();
    for (const [id, waiting] of this.#waiting) {
      if (waiting.notBefore > now) continue;
      this.#waiting.delete(id);
      return waiting;
    }
    return undefined;
  }

  /** Not where it was judged once more meanwhile. */
  #addAgain(waiting: Waiting): void {
    const id = idOf(waiting.judged.ref);
    if (!this.#waiting.has(id)) this.#waiting.set(id, waiting);
  }

  /** What comes of it; `refused` where the API server will not have it, and `later`, after a while, where nobody can tell. */
  async attempt<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | 'refused' | 'later'> {
    const { time } = this.#options;
    try {
      const done = await work();
      this.#backoff.reset();
      return done;
    } catch (error) {
      if (signal.aborted) return 'later';
      this.#tell(error);
      if (isRefusal(error)) return 'refused';
      await time.sleep(this.#backoff.next(), signal);
      return 'later';
    }
  }

  #tell(error: unknown): void {
    const { what, log, time, failed } = this.#options;
    failed(what);
    const problem = problemOf(error);
    const now = time.now();
    if (now < (this.#logged.get(problem.code) ?? Number.NEGATIVE_INFINITY) + LOGGED_AGAIN_MS) return;
    this.#logged.set(problem.code, now);
    log.warn({ what, ...problem }, 'the audit cannot write');
  }
}

/** How soon a problem of the same kind is logged again: one namespace that is being deleted has many objects. */
const LOGGED_AGAIN_MS = 600_000;

/** An object of which something may have to be written. */
interface Waiting {
  readonly judged: JudgedObject;
  readonly refusals: number;
  /** In milliseconds. */
  readonly notBefore: number;
}

/** Asked again, it would be refused again. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && !MAY_PASS.has(error.status);
}

/** Credentials are renewed, timeouts and conflicts pass, and who asks too often is asked to wait. */
const MAY_PASS: ReadonlySet<number> = new Set([401, 408, 409, 429]);
