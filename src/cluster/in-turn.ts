/**
 * Does so much at the same time and no more. What has to wait begins in the order in which it came, and whoever gives up
 * waiting leaves the line, so that it is never longer than the number of those who still wait.
 */
export class InTurn {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /**
   * Rejects with the signal's reason as soon as it is aborted. The work may go on a while longer then, and counts until it
   * has ended: a connection that is being made cannot be called off.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    return orAborted(work().finally(this.#next), signal);
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  readonly #next = (): void => {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(first);
    first();
  };

  async #turn(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn.resolve);
    try {
      await orAborted(turn.promise, signal);
    } catch (error) {
      if (!this.#waiting.delete(turn.resolve)) this.#next(); // it came in the same moment, and is somebody else's now
      throw error;
    }
  }
}

/** Rejects with the signal's reason as soon as it is aborted, however long the work goes on. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (signal.aborted) abort();
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
