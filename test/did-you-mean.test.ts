import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean } from '../src/did-you-mean.ts';

const WORDS = ['exclude', 'failOn', 'nodes', 'ignore', 'yes', 'no'];

for (const [word, meant] of [
  ['excludes', 'exclude'],
  ['failon', 'failOn'],
  ['fail-on', 'failOn'],
  ['ignores', 'ignore'],
  ['node', 'nodes'],
  ['ye', 'yes'],
] as const) {
  test(`${word} may mean ${meant}`, () => assert.equal(didYouMean(word, WORDS), `, did you mean ${meant}?`));
}

for (const word of ['storage', 'x', '', 'e'.repeat(100_000)]) {
  test(`a word of ${word.length} characters that is near none is not guessed at`, () => {
    assert.equal(didYouMean(word, WORDS), '');
  });
}
