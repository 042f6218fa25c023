import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IndexedTable } from '../../src/snapshot/indexed-table.ts';

const numbers = (...keys: readonly number[]): readonly string[] => keys.map((key) => `k${key}`);

/** A table of texts, each found by its first letter. */
function tableOf(keys: readonly string[]): IndexedTable<string> {
  const table = new IndexedTable<string>((text) => [text.slice(0, 1)]);
  for (const key of keys) table.set(key, key);
  return table;
}

for (const count of [1, 2, 16, 17, 100]) {
  const keys = numbers(...Array(count).keys());

  test(`${count} objects under one term are found, as they change and until they go`, () => {
    const table = tableOf(keys);
    assert.deepEqual(table.under('k'), keys);
    table.set('k0', 'other');
    assert.deepEqual(table.under('k'), keys.slice(1));
    assert.deepEqual(table.under('o'), ['other']);
    table.set('k0', 'k0 again');
    assert.deepEqual(table.under('k'), [...keys.slice(1), 'k0 again']);
    for (const key of keys) table.delete(key);
    assert.deepEqual(table.under('k'), []);
  });
}

test('no more objects are looked up than are asked for', () => {
  const table = tableOf(numbers(1, 2, 3));
  assert.deepEqual(table.under('k', 2), ['k1', 'k2']);
  assert.deepEqual(table.under('k', 3), ['k1', 'k2', 'k3']);
});

test('a table knows the keys of its objects, and those of none under a term that nobody has', () => {
  const table = tableOf(numbers(1, 2));
  table.delete('k1');
  table.delete('never there');
  assert.deepEqual([...table.keys()], ['k2']);
  assert.deepEqual([table.get('k1'), table.get('k2')], [undefined, 'k2']);
  assert.deepEqual(table.under('x'), []);
});
