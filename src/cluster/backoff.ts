/** The first wait. client-go's is 800 ms; a webhook's state is looked at more often than a controller's. */
const FIRST_MS = 500;

/**
 * The longest wait, well under the 30 s of client-go: an API server that comes back is noticed soon, and a few lists
 * asked for every ten seconds are no load for it.
 */
const LONGEST_MS = 10_000;

/** How long to wait before the next attempt: not at all, then doubling up to a cap, each time between half and the whole of it. */
export class Backoff {
  readonly #random: () => number;
  #failures = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Counts one more failure, and returns the milliseconds to wait. */
  next(): number {
    const attempt = this.#failures++;
    if (attempt === 0) return 0;
    const longest = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
    return longest * (0.5 + this.#random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
