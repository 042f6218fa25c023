import { setImmediate } from 'node:timers/promises';
import type { Time } from '../../src/cluster/time.ts';

/** Time that passes only when a test says so, from five minutes before the last day of 2026 on. */
export class ManualTime implements Time {
  #now = Date.UTC(2026, 11, 30, 23, 55);
  readonly #sleeping = new Set<{ readonly until: number; readonly wake: () => void }>();

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = {
        until: this.#now + ms,
        wake: () => {
          this.#sleeping.delete(sleeper);
          resolve();
        },
      };
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', sleeper.wake, { once: true });
      this.#sleeping.add(sleeper);
    });
  }

  /** Work that takes so long: nobody else has a turn meanwhile. */
  spend(ms: number): void {
    this.#now += ms;
  }

  /** Lets so many milliseconds pass, one sleeper after the other, with all that each of them does meanwhile. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const next = [...this.#sleeping].toSorted((one, other) => one.until - other.until)[0];
      if (next === undefined || next.until > end) break;
      this.#now = Math.max(this.#now, next.until);
      next.wake();
    }
    this.#now = Math.max(this.#now, end);
    await settled();
  }
}

/** Lets go on whatever does not wait for time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}
