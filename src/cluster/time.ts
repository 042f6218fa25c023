import { setTimeout as timer } from 'node:timers/promises';

/** Clock, waiting and chance, passed in so that a test decides them. */
export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A random number of at least 0 and below 1. */
  random(): number;
}

export const realTime: Time = {
  now: () => Date.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    try {
      await timer(ms, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },
};
