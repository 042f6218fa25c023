import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { weightOf } from '../../src/objects/json-size.ts';

test('a value is at least as heavy as the JSON of it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      assert.ok(weightOf(value, Number.MAX_SAFE_INTEGER) >= Buffer.byteLength(JSON.stringify(value)));
    }),
  );
});

test('what is in a Map counts too', () => {
  assert.ok(weightOf(new Map([['a'.repeat(1_000), 'b'.repeat(1_000)]]), 10_000) > 2_000);
});

test('no more is looked at than it takes to know that it is too much', () => {
  let looked = 0;
  const item = {
    get a() {
      looked++;
      return 'x';
    },
  };
  for (const length of [1_000, 100_000]) {
    looked = 0;
    assert.ok(weightOf(Array(length).fill(item), 2_400) > 2_400);
    assert.ok(looked <= 100);
  }
});

test('what is nested too deep is heavier than anything', () => {
  assert.equal(weightOf(JSON.parse('['.repeat(100) + ']'.repeat(100)), 1_000_000), Number.POSITIVE_INFINITY);
});
