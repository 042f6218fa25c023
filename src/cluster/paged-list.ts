import { setImmediate } from 'node:timers/promises';
import { type JsonObject, objectAt, stringAt } from '../objects/json.ts';
import type { ApiConnection } from './connection.ts';
import { readItems } from './list-items.ts';

/** Objects of a page, half of client-go's: an API server puts 250 Deployments (2 MB) together in one piece. */
const PAGE_SIZE = 250;

/**
 * Reads the whole list, page by page, and hands over each object as soon as it is there. Returns the resourceVersion from
 * which a watch goes on. Rejects with ApiError 410 where the API server has forgotten the list half way; then what came so
 * far is a part of nothing, and only beginning again helps.
 */
export async function listPages(
  connection: ApiConnection,
  path: string,
  onObject: (object: JsonObject) => void,
  signal: AbortSignal,
): Promise<string> {
  let next: string | undefined;
  for (;;) {
    const query = { limit: String(PAGE_SIZE), ...(next !== undefined && { continue: next }) };
    const chunks = await connection.stream(path, query, { signal });
    const page = await readItems(chunks, (item) => {
      signal.throwIfAborted();
      onObject(item);
    });
    signal.throwIfAborted();
    const metadata = objectAt(page, 'metadata');
    next = stringAt(metadata, 'continue') || undefined;
    if (next === undefined) return stringAt(metadata, 'resourceVersion') ?? '';
    await setImmediate(); // whoever waits for an answer goes first
  }
}
