import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject } from '../../src/objects/json.ts';
import { sameJson } from '../../src/objects/same-json.ts';

const different: readonly (readonly [unknown, unknown])[] = [
  [null, false],
  ['1', 1],
  [undefined, null],
  [{}, []],
  [{}, null],
  [[], null],
  [[], ''],
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, { a: 1, b: 1 }],
  [
    { a: 1, c: 1 },
    { a: 1, b: 1 },
  ],
  [JSON.parse('{"__proto__":{}}'), { b: {} }],
  [[1], [1, 2]],
  [
    [1, 2],
    [2, 1],
  ],
  [{ 0: 'a' }, ['a']],
];

test('Maps say the same with the same entries, in whatever order', () => {
  const map = new Map([
    ['a', [1]],
    ['b', [2]],
  ]);
  assert.equal(sameJson(map, new Map([...map].reverse())), true);
  assert.equal(sameJson(map, new Map([...map, ['b', [3]]])), false);
  assert.equal(sameJson(map, new Map([...map, ['c', [3]]])), false);
  assert.equal(sameJson(map, new Map([['a', [1]]])), false);
  assert.equal(sameJson(new Map(), {}), false);
});

for (const [a, b] of different) {
  test(`${JSON.stringify(a)} and ${JSON.stringify(b)} say something else`, () => {
    assert.deepEqual([sameJson(a, b), sameJson(b, a)], [false, false]);
  });
}

test('a copy says the same, in whatever order the members of its objects stand', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(sameJson(value, turned(value)), true);
    }),
  );
});

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (!isObject(value)) return value;
  const members = Object.entries(value).toReversed();
  return Object.fromEntries(members.map(([key, member]) => [key, turned(member)]));
}
