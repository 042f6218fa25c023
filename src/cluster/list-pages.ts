import { setImmediate } from 'node:timers/promises';
import { isObject, type JsonObject, objectAt, stringAt } from '../objects/json.ts';
import { UnreadableAnswerError } from './api-error.ts';
import type { ApiConnection, Query } from './connection.ts';

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
  selectors: Query = {},
): Promise<string> {
  let next: string | undefined;
  for (;;) {
    const query = { ...selectors, limit: String(PAGE_SIZE), ...(next !== undefined && { continue: next }) };
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

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** How deep an item of a list lies: in the list's object and in its array, which is the only one that deep. */
const ITEM_DEPTH = 2;

/**
 * Hands over each item of a list as soon as its last byte is there, and returns the list without them. A page of
 * Deployments is megabytes of text of which little is kept: parsed item by item, nothing of it lives long enough to cost
 * a garbage collection, and no step takes longer than a fraction of a millisecond.
 */
export async function readItems(
  chunks: AsyncIterable<Uint8Array>,
  onItem: (item: JsonObject) => void,
): Promise<JsonObject> {
  const splitter = new Splitter((text) => onItem(objectFrom(text)));
  for await (const chunk of chunks) splitter.push(chunk);
  return objectFrom(splitter.rest());
}

function objectFrom(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableAnswerError('a list', 'no JSON', error);
  }
  if (isObject(value)) return value;
  throw new UnreadableAnswerError('a list', 'no object');
}

/** Follows the nesting of a JSON text byte by byte. It checks nothing; whoever parses the pieces does. */
class Splitter {
  readonly #onItem: (text: string) => void;
  /** What has come of the item at hand, and of everything around the items. */
  #item: Uint8Array[] = [];
  readonly #around: Uint8Array[] = [];
  #depth = 0;
  #inItems = false;
  #inString = false;
  /** How many bytes of the next chunk are escaped by the last of this one. */
  #escaped = 0;

  constructor(onItem: (text: string) => void) {
    this.#onItem = onItem;
  }

  push(chunk: Uint8Array): void {
    let inString = this.#inString; // a local variable, for this loop sees every byte of the cluster's state
    let start = 0;
    let index = this.#escaped;
    for (; index < chunk.length; index++) {
      const byte = chunk[index];
      if (inString) {
        if (byte === BACKSLASH) index++;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) start = this.#opened(chunk, start, index);
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) start = this.#closed(chunk, start, index);
    }
    this.#inString = inString;
    this.#escaped = index - chunk.length;
    if (!this.#inItems) this.#around.push(chunk.subarray(start));
    else if (this.#depth > ITEM_DEPTH) this.#item.push(chunk.subarray(start));
  }

  rest(): string {
    return textOf(this.#around);
  }

  /** Both return where the text begins that has not been put anywhere yet. */
  #opened(chunk: Uint8Array, start: number, index: number): number {
    this.#depth++;
    if (this.#inItems) return this.#depth === ITEM_DEPTH + 1 ? index : start;
    if (chunk[index] !== OPEN_LIST || this.#depth !== ITEM_DEPTH) return start;
    this.#inItems = true;
    this.#around.push(chunk.subarray(start, index + 1));
    return index + 1;
  }

  #closed(chunk: Uint8Array, start: number, index: number): number {
    this.#depth--;
    if (!this.#inItems || this.#depth > ITEM_DEPTH) return start;
    if (this.#depth < ITEM_DEPTH) {
      this.#inItems = false;
      return index;
    }
    const last = chunk.subarray(start, index + 1);
    this.#onItem(textOf(this.#item.length === 0 ? [last] : [...this.#item, last]));
    if (this.#item.length > 0) this.#item = [];
    return index + 1;
  }
}

/** Most items lie in one chunk whole, and to copy them would cost as much memory as all text that comes. */
function textOf(pieces: readonly Uint8Array[]): string {
  const [first, ...more] = pieces;
  if (first === undefined || more.length > 0) return Buffer.concat(pieces).toString('utf8');
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString('utf8');
}
