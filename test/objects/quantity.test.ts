import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quantityAt } from '../../src/objects/quantity.ts';

const read: readonly [unknown, number | undefined][] = [
  ['10Gi', 10 * 2 ** 30],
  ['1.5Ti', 1.5 * 2 ** 40],
  ['.5Mi', 2 ** 19],
  ['5G', 5e9],
  ['100m', 0.1],
  ['2u', 2e-6],
  ['2n', 2e-9],
  ['12e6', 12e6],
  ['1E', 1e18],
  ['1E3', 1000],
  ['+7', 7],
  ['12.25k', 12_250],
  ['.25k', 250],
  ['1e10', 1e10],
  ['25E-1', 2.5],
  [1024, 1024],
  ['', undefined],
  ['10GB', undefined],
  ['ten', undefined],
  ['x10Gi', undefined],
  ['10Gi ', undefined],
  ['1e', undefined],
  ['Gi', undefined],
  [{}, undefined],
  [undefined, undefined],
];

test('each suffix is a thousand times the one before, or 1,024 times', () => {
  const inBytes = (suffixes: readonly string[]) => suffixes.map((suffix) => quantityAt({ size: `1${suffix}` }, 'size'));
  assert.deepEqual(inBytes(['k', 'M', 'G', 'T', 'P', 'E']), [1e3, 1e6, 1e9, 1e12, 1e15, 1e18]);
  assert.deepEqual(
    inBytes(['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']),
    [1, 2, 3, 4, 5, 6].map((power) => 1024 ** power),
  );
});

for (const [text, bytes] of read) {
  test(`${JSON.stringify(text)} reads as ${bytes}`, () => {
    assert.equal(quantityAt({ storage: text }, 'storage'), bytes);
  });
}
