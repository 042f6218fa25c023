import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Logger } from '../../certs/options.ts';
import type { World } from '../../certs/world.ts';

const generate = promisify(generateKeyPair);

/** Shorter than this is a pause within one look, which a test does not want to wait for. */
const SHORTEST_POLL = 5_000;

export const DAY = 24 * 60 * 60 * 1000;

/** A world whose clock a test moves, and which sleeps from one poll to the next until it is woken. */
export interface TestWorld extends World {
  advance(milliseconds: number): void;
  /** Resolves once the source has finished a look and sleeps; gives how long it means to. */
  asleep(): Promise<number>;
  /** Lets it look again, and waits until it sleeps once more. */
  poll(): Promise<number>;
}

export function testWorld(start = '2026-06-01T00:00:00.000Z'): TestWorld {
  let now = Date.parse(start);
  let sleeping = Promise.withResolvers<number>();
  let wake = () => {};
  const poll = async () => {
    await sleeping.promise;
    sleeping = Promise.withResolvers();
    wake();
    return sleeping.promise;
  };
  return {
    now: () => new Date(now),
    elapsed: () => now,
    random: Math.random,
    randomBytes,
    generateKey: smallKey,
    async sleep(milliseconds, signal) {
      if (milliseconds < SHORTEST_POLL || signal.aborted) return;
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      signal.addEventListener('abort', () => woken.resolve(), { once: true });
      sleeping.resolve(milliseconds);
      await woken.promise;
    },
    advance(milliseconds) {
      now += milliseconds;
    },
    asleep: () => sleeping.promise,
    poll,
  };
}

/** 1024 bits are made and used ten times faster, and nobody has to be kept out here. */
async function smallKey(): Promise<string> {
  const { privateKey } = await generate('rsa', { modulusLength: 1024 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export interface LogLine {
  readonly level: keyof Logger;
  readonly fields: object;
  readonly message: string;
}

/** A log that a test can read. */
export function testLog(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: keyof Logger) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
