import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { CertificatesApi } from './certificates-api.ts';
import { CertificatesError } from './certificates-error.ts';

/** Clock, randomness and waiting, so that a test has them in its hand. */
export interface World {
  now(): Date;
  /** Milliseconds on a clock that nobody sets. */
  elapsed(): number;
  /** From 0 to below 1, for jitter alone. */
  random(): number;
  randomBytes(size: number): Uint8Array;
  /** A new private key, PKCS #8 in PEM. */
  generateKey(): Promise<string>;
  /** Ends after so many milliseconds, or when the signal aborts; never rejects. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const generate = promisify(generateKeyPair);

export const realWorld: World = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  random: Math.random,
  randomBytes,
  generateKey,
  sleep,
};

/** RSA, since that is all node-forge signs with. 2048 bits: a handshake with 3072 costs about three times as much. */
async function generateKey(): Promise<string> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}

/**
 * The world with the clock of the API server, since it is the one that judges certificates. A node whose clock is wrong
 * would replace what all others serve, and make certificates that nobody accepts.
 */
export function atServerTime(world: World, api: Pick<CertificatesApi, 'clockAheadBy'>): World {
  return { ...world, now: () => new Date(world.now().getTime() + api.clockAheadBy()) };
}

/** What to tell whoever looks after this node, where its clock is wrong. Nothing here depends on it. */
export function clockFailures(api: Pick<CertificatesApi, 'clockAheadBy'>): readonly CertificatesError[] {
  const aheadBy = api.clockAheadBy();
  if (aheadBy === 0) return [];
  const direction = aheadBy > 0 ? 'behind' : 'ahead of';
  const message = `the clock of this node is ${direction} that of the API server, which is used instead: set the clock`;
  return [new CertificatesError('CLOCK_WRONG', message)];
}
