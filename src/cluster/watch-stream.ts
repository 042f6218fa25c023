import { isObject, type JsonObject } from '../objects/json.ts';
import { UnreadableAnswerError } from './api-error.ts';

const EVENT_TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const;

export interface WatchEvent {
  readonly type: (typeof EVENT_TYPES)[number];
  /** The object as it is now, as it was last (DELETED), just its resourceVersion (BOOKMARK) or a Status (ERROR). */
  readonly object: JsonObject;
}

const LINE_FEED = 0x0a;

/** The events of a watch, one JSON object on each line. What follows the last line feed was cut off and is left out. */
export async function* watchEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield eventFrom(Buffer.concat([...begun, chunk.subarray(start, end)]));
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
}

function eventFrom(line: Buffer): WatchEvent {
  let event: unknown;
  try {
    event = JSON.parse(line.toString('utf8'));
  } catch (error) {
    throw new UnreadableAnswerError('a watch', 'a line that is no JSON', error);
  }
  if (isObject(event) && isObject(event.object)) {
    const { object } = event;
    const type = EVENT_TYPES.find((candidate) => candidate === event.type);
    if (type !== undefined) return { type, object };
  }
  throw new UnreadableAnswerError('a watch', 'a line that is no event');
}
