import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quantityAt } from '../../src/facts/quantity.ts';

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

for (const [text, bytes] of read) {
  test(`${JSON.stringify(text)} reads as ${bytes}`, () => {
    assert.equal(quantityAt({ storage: text }, 'storage'), bytes);
  });
}
