import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks again and again until there is an answer, and gives it. `undefined` and `false` mean not yet; so does an exception,
 * which is kept as the cause if the time runs out.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  { timeoutMs = 30_000, everyMs = 100 }: UntilOptions = {},
): Promise<T> {
  const since = Date.now();
  let cause: unknown;
  do {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await sleep(everyMs);
  } while (Date.now() - since < timeoutMs);
  throw new Error(`Not within ${timeoutMs / 1000} s: ${what}`, { cause });
}
