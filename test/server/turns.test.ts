import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from '../../src/server/turns.ts';

/** Turns in which each work takes so many milliseconds, and notes that it has begun. */
function turnsOf(ms: number) {
  let now = 0;
  const turns = new Turns(() => now);
  const begun: string[] = [];
  const begin = (name: string): Promise<string> =>
    turns.begin(async () => {
      begun.push(name);
      now += ms;
      return name;
    });
  return { begin, begun };
}

test('work that comes alone begins at once', async () => {
  const { begin, begun } = turnsOf(1);
  for (const name of ['a', 'b', 'c']) {
    const answer = begin(name);
    assert.equal(begun.at(-1), name);
    assert.equal(await answer, name);
    await nextTurn();
  }
});

test('work that comes after a turn with several waits until all of its turn has come', async () => {
  const { begin, begun } = turnsOf(1);
  await Promise.all([begin('a'), begin('b')]);
  await nextTurn();
  const answers = Promise.all([begin('c'), begin('d')]);
  assert.deepEqual(begun, ['a', 'b']);
  assert.deepEqual(await answers, ['c', 'd']);
});

test('after a turn with one, work begins at once again', async () => {
  const { begin, begun } = turnsOf(1);
  await Promise.all([begin('a'), begin('b')]);
  await nextTurn();
  await begin('c');
  const answer = begin('d');
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  await answer;
});

test('after 20 ms the rest waits for what else there is to do', async () => {
  const { begin, begun } = turnsOf(10);
  await Promise.all([begin('a'), begin('b')]);
  await nextTurn();
  const answers = Promise.all(['c', 'd', 'e'].map(begin));
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  await answers;
  assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e']);
});

test('a work that fails fails by itself', async () => {
  const { begin } = turnsOf(1);
  const turns = new Turns(() => 0);
  const failing = (): Promise<never> => turns.begin(() => Promise.reject(new Error('no')));
  await Promise.all([assert.rejects(failing()), assert.rejects(failing())]);
  await nextTurn();
  await Promise.all([assert.rejects(failing()), assert.rejects(failing())]);
  assert.equal(await begin('a'), 'a');
});
