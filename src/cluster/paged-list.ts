import { setImmediate } from 'node:timers/promises';
import { type JsonObject, objectAt, objectsAt, stringAt } from '../facts/json.ts';
import { ApiError } from './api-error.ts';
import type { ApiConnection } from './connection.ts';

/** Parsing one page must not hold up admission: 250 Deployments are 2 MB of JSON and about 20 ms. */
const PAGE_SIZE = 250;

/** Tokens live for about five minutes, so a list that outlives a few of them will never be finished. */
const MOST_ATTEMPTS = 3;

/** A list as of one moment. */
export interface Listed<T> {
  readonly objects: readonly T[];
  /** Where a watch goes on from. */
  readonly resourceVersion: string;
}

/**
 * The whole list, page by page; each object is read as soon as its page is there, and `undefined` leaves it out. Begins
 * again where the API server has forgotten the list half way.
 */
export async function listPages<T>(
  connection: ApiConnection,
  path: string,
  read: (object: JsonObject) => T | undefined,
  signal: AbortSignal,
): Promise<Listed<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await onePass(connection, path, read, signal);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 410) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

async function onePass<T>(
  connection: ApiConnection,
  path: string,
  read: (object: JsonObject) => T | undefined,
  signal: AbortSignal,
): Promise<Listed<T>> {
  const objects: T[] = [];
  let next: string | undefined;
  for (;;) {
    const query = { limit: String(PAGE_SIZE), ...(next !== undefined && { continue: next }) };
    const page = await connection.request(path, query, { signal });
    signal.throwIfAborted();
    for (const item of objectsAt(page, 'items')) {
      const object = read(item);
      if (object !== undefined) objects.push(object);
    }
    const metadata = objectAt(page, 'metadata');
    next = stringAt(metadata, 'continue') || undefined;
    if (next === undefined) return { objects, resourceVersion: stringAt(metadata, 'resourceVersion') ?? '' };
    await setImmediate(); // whoever waits for an answer goes first
  }
}
