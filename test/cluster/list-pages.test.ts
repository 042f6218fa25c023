import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readItems } from '../../src/cluster/list-pages.ts';
import type { JsonObject } from '../../src/objects/json.ts';

async function readFrom(...chunks: readonly Uint8Array[]) {
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  const items: JsonObject[] = [];
  const list = await readItems(stream(), (item) => items.push(item));
  return { items, list };
}

const awkward = {
  kind: 'List',
  metadata: { resourceVersion: '10', continue: '[{"', owners: [{ a: [1] }] },
  items: [
    { name: 'brackets in text: ]}[{', quoted: 'a "b" \\ \\" c\\', nested: { list: [{}, [], [[{ deep: 'x' }]]] } },
    {},
    { name: 'Zürich 🚢', items: [{ no: 'item' }] },
  ],
  after: { more: [{ a: 1 }] },
};

test('a list is taken apart the same way wherever it is cut', async () => {
  for (const text of [JSON.stringify(awkward), JSON.stringify(awkward, undefined, 2)]) {
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { items, list } = await readFrom(bytes.subarray(0, cut), bytes.subarray(cut));
      assert.deepEqual(items, awkward.items);
      assert.deepEqual(list, { ...awkward, items: [] });
    }
    assert.deepEqual((await readFrom(...[...bytes].map((byte) => Uint8Array.of(byte)))).items, awkward.items);
  }
});

for (const [what, list] of [
  ['no items', { metadata: {}, items: [] }],
  ['null for items, as Go writes an empty list', { metadata: {}, items: null }],
] as const) {
  test(`a list may hold ${what}`, async () => {
    assert.deepEqual(await readFrom(Buffer.from(JSON.stringify(list))), { items: [], list });
  });
}

for (const [what, text] of [
  ['is cut off', '{"items":[{}'],
  ['is no JSON', '<html>'],
  ['is no object', '[{}]'],
  ['holds something else than objects', '{"items":[{},[]]}'],
] as const) {
  test(`an answer that ${what} is no list`, async () => {
    await assert.rejects(readFrom(Buffer.from(text)), { code: 'UNREADABLE_ANSWER' });
  });
}
