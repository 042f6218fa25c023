import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { InTurn } from '../../src/cluster/in-turn.ts';

const patience = new AbortController().signal;

/** Work that a test ends. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = { times: 0 };
  const begin = () => {
    begun.times++;
    return promise;
  };
  return { begun, begin, end: resolve };
}

test('what has to wait begins in its turn', async () => {
  const inTurn = new InTurn(1);
  const [first, second, third] = [work(), work(), work()];
  const all = [first, second, third].map(({ begin }) => inTurn.run(begin, patience));
  assert.deepEqual([first.begun.times, second.begun.times, inTurn.waiting], [1, 0, 2]);
  first.end();
  await setImmediate();
  assert.deepEqual([second.begun.times, third.begun.times], [1, 0]);
  second.end();
  third.end();
  await Promise.all(all);
  assert.equal(third.begun.times, 1);
});

test('whoever gives up waiting leaves the line, and never begins', async () => {
  const inTurn = new InTurn(1);
  const [first, second, third] = [work(), work(), work()];
  const running = inTurn.run(first.begin, patience);
  const giving = new AbortController();
  const given = inTurn.run(second.begin, giving.signal);
  const waited = inTurn.run(third.begin, patience);
  giving.abort();
  await assert.rejects(given, { name: 'AbortError' });
  assert.equal(inTurn.waiting, 1);
  first.end();
  third.end();
  await Promise.all([running, waited]);
  assert.equal(second.begun.times, 0);
});

test('work that nobody waits for any more counts until it has ended', async () => {
  const inTurn = new InTurn(1);
  const [first, second] = [work(), work()];
  const giving = new AbortController();
  const given = inTurn.run(first.begin, giving.signal);
  giving.abort();
  await assert.rejects(given, { name: 'AbortError' });
  const waited = inTurn.run(second.begin, patience);
  await setImmediate();
  assert.equal(second.begun.times, 0);
  first.end();
  second.end();
  await waited;
});

test('a turn that comes in the moment in which it is given up goes to the next', async () => {
  const inTurn = new InTurn(1);
  const [first, third] = [work(), work()];
  const giving = new AbortController();
  const running = inTurn.run(first.begin, patience);
  const given = inTurn.run(() => assert.fail('it was given up'), giving.signal);
  const waited = inTurn.run(third.begin, patience);
  first.end();
  giving.abort();
  third.end();
  await assert.rejects(given, { name: 'AbortError' });
  await Promise.all([running, waited]);
});

test('work that fails makes room too', async () => {
  const inTurn = new InTurn(1);
  const failing = inTurn.run(() => Promise.reject(new Error('no')), patience);
  const waited = inTurn.run(async () => 'done', patience);
  await assert.rejects(failing, { message: 'no' });
  assert.equal(await waited, 'done');
});
