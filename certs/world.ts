import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

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
