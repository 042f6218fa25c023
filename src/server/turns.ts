/** How long reviews are judged one after the other before what else has come is read and answered. */
const LONGEST_MS = 20;

/**
 * Lets reviews that come in one turn of the event loop begin one after the other once all of them have been read: code that
 * goes on with the same work takes a fraction of the time of code that changes with each packet. Where the turn before
 * brought only one, it begins at once, for nobody else is there to wait for.
 */
export class Turns {
  readonly #now: () => number;
  /** The reviews that came in this turn. */
  #came = 0;
  #isCrowded = false;
  #isEnding = false;
  #waiting: (() => void)[] = [];

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins the work in its turn, and settles as it does. */
  begin<T>(work: () => Promise<T>): Promise<T> {
    this.#came++;
    this.#endLater();
    if (!this.#isCrowded) return work();
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(work()));
    });
  }

  #endLater(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => this.#end());
  }

  #end(): void {
    this.#isEnding = false;
    this.#isCrowded = this.#came > 1;
    this.#came = 0;
    const waiting = this.#waiting;
    const until = this.#now() + LONGEST_MS;
    let begun = 0;
    while (begun < waiting.length && this.#now() < until) waiting[begun++]?.();
    this.#waiting = waiting.slice(begun);
    if (this.#waiting.length === 0) return;
    this.#isCrowded = true;
    this.#endLater();
  }
}
