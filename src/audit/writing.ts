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

/** Objects that something may have to be written of, each once, with what is known of them last. */
export class Writing {
  readonly #options: WritingOptions;
  readonly #waiting = new Map<string, JudgedObject>();
  readonly #backoff: Backoff;
  #problem: string | undefined;

  constructor(options: WritingOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.time.random);
  }

  add(judged: JudgedObject): void {
    this.#waiting.set(idOf(judged.ref), judged);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Does what there is to do, until the signal ends it. `write` says whether it wrote anything. */
  async run(write: (judged: JudgedObject) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const { time } = this.#options;
    while (!signal.aborted) {
      const [next] = this.#waiting;
      if (next === undefined) {
        await time.sleep(POLL_MS, signal);
        continue;
      }
      const [id, judged] = next;
      this.#waiting.delete(id);
      const wrote = await this.attempt(() => write(judged), signal);
      if (wrote === 'later' && !this.#waiting.has(id)) this.#waiting.set(id, judged);
      await time.sleep(wrote === true ? PACE_MS : YIELD_MS, signal);
    }
  }

  /**
   * What comes of it; `refused` where the API server will not have it, and `later`, after a while, where nobody can tell. What
   * was refused is tried again when the object is judged again.
   */
  async attempt<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | 'refused' | 'later'> {
    const { time } = this.#options;
    try {
      const done = await work();
      this.#backoff.reset();
      this.#problem = undefined;
      return done;
    } catch (error) {
      if (signal.aborted) return 'later';
      this.#tell(error);
      if (isRefusal(error)) return 'refused';
      await time.sleep(this.#backoff.next(), signal);
      return 'later';
    }
  }

  /** Each problem once, until something succeeds. */
  #tell(error: unknown): void {
    const { what, log, failed } = this.#options;
    failed(what);
    const problem = problemOf(error);
    if (problem.code !== this.#problem) log.warn({ what, ...problem }, 'the audit cannot write');
    this.#problem = problem.code;
  }
}

/** Asked again, it would be refused again. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && !MAY_PASS.has(error.status);
}

/** Credentials are renewed, timeouts and conflicts pass, and who asks too often is asked to wait. */
const MAY_PASS: ReadonlySet<number> = new Set([401, 408, 409, 429]);
