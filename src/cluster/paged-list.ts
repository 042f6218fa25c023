import { setImmediate } from 'node:timers/promises';
import { type JsonObject, objectAt, stringAt } from '../facts/json.ts';
import { ApiError } from './api-error.ts';
import type { ApiConnection } from './connection.ts';
import { readItems } from './list-items.ts';

/** Half of what client-go asks for: 250 Deployments are 2 MB, which an API server has to put together in one piece. */
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
 * The whole list, page by page; each object is read as soon as it is there, and `undefined` leaves it out. Begins
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
    const chunks = await connection.stream(path, query, { signal });
    const page = await readItems(chunks, (item) => {
      const object = read(item);
      if (object !== undefined) objects.push(object);
    });
    signal.throwIfAborted();
    const metadata = objectAt(page, 'metadata');
    next = stringAt(metadata, 'continue') || undefined;
    if (next === undefined) return { objects, resourceVersion: stringAt(metadata, 'resourceVersion') ?? '' };
    await setImmediate(); // whoever waits for an answer goes first
  }
}
