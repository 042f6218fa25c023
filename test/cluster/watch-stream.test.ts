import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type WatchEvent, watchEvents } from '../../src/cluster/watch-stream.ts';

async function eventsIn(...chunks: readonly (string | Uint8Array)[]): Promise<readonly WatchEvent[]> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
  const events: WatchEvent[] = [];
  for await (const event of watchEvents(bytes())) events.push(event);
  return events;
}

const line = (name: string) => `${JSON.stringify({ type: 'ADDED', object: { name } })}\n`;
const namesIn = (events: readonly WatchEvent[]) => events.map(({ object }) => object.name);

test('a watch gives every event of a chunk', async () => {
  assert.deepEqual(namesIn(await eventsIn(line('a') + line('b'), line('c'))), ['a', 'b', 'c']);
});

test('a watch puts an event together from its pieces, also in the middle of a letter', async () => {
  const bytes = Buffer.from(line('Zürich') + line('b'));
  for (let cut = 1; cut < bytes.length; cut++) {
    assert.deepEqual(namesIn(await eventsIn(bytes.subarray(0, cut), bytes.subarray(cut))), ['Zürich', 'b']);
  }
  assert.deepEqual(namesIn(await eventsIn(...[...bytes].map((byte) => Uint8Array.of(byte)))), ['Zürich', 'b']);
});

test('a watch ends a line at the line feed only', async () => {
  assert.deepEqual(namesIn(await eventsIn(line('a\u2028b\u2029c\r\u0085'))), ['a\u2028b\u2029c\r\u0085']);
});

test('a watch leaves out an event that was cut off', async () => {
  assert.deepEqual(namesIn(await eventsIn(line('a'), line('b').slice(0, -1))), ['a']);
});

for (const [what, text] of [
  ['no JSON', '<html>\n'],
  ['no event', '{"kind":"Status"}\n'],
  ['an event of an unknown type', '{"type":"MOVED","object":{}}\n'],
] as const) {
  test(`a watch does not pass over ${what}`, async () => {
    await assert.rejects(eventsIn(text), { code: 'UNREADABLE_ANSWER' });
  });
}
