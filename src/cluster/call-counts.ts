import { CallCounter, type CallCounts } from '../doctor/call-counts.ts';
import type { Fact } from '../objects/fact.ts';
import { UnreadableAnswerError } from './api-error.ts';
import type { ApiConnection } from './connection.ts';
import { seen } from './seen.ts';

/** Far above what an API server has to say (15 MB with many custom resources); more is somebody else's answer. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Reads `/metrics` of one API server, whichever answers, and keeps what it says of our webhooks. */
export function readCallCounts(
  connection: Pick<ApiConnection, 'stream'>,
  signal: AbortSignal,
  mostBytes = MOST_BYTES,
): Promise<Fact<CallCounts>> {
  return seen('/metrics of the API server', async () => {
    const counter = new CallCounter();
    for await (const line of linesOf(await connection.stream('/metrics', {}, { signal }), mostBytes)) counter.add(line);
    return counter.counted();
  });
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new UnreadableAnswerError('GET /metrics', `more than ${mostBytes} bytes`);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
