import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { parsedWeightOf } from '../../src/server/json-weight.ts';
import { ReviewMemory } from '../../src/server/review-memory.ts';

/** A list of one text, so that `parsedWeightOf` is 32 times its length. */
function body(length: number) {
  const released = { times: 0 };
  return { bytes: Buffer.from(`["${'x'.repeat(length - 4)}"]`), released, release: () => void released.times++ };
}

function deadline() {
  const controller = new AbortController();
  return { signal: controller.signal, end: () => controller.abort(), met: () => {} };
}

/** Time that passes only when it is told to. */
function clock(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  return { now: () => now, pass };
}

/** Room for one review of 100 bytes, and what each that was let in waits for. */
function judging(now = () => 0) {
  const memory = new ReviewMemory(3_200, now);
  const begun: string[] = [];
  const judge = (name: string, length: number, time = deadline()) => {
    const answer = Promise.withResolvers<string>();
    const judged = memory.judged(body(length), time, () => {
      begun.push(name);
      return answer.promise;
    });
    judged.catch(() => {});
    return { judged, answered: () => answer.resolve(name), deadline: time };
  };
  return { begun, judge };
}

test('a review is handed over parsed, and its bytes are released before it is judged', async () => {
  const memory = new ReviewMemory(3_200, () => 0);
  const received = body(10);
  const judged = await memory.judged(received, deadline(), async (review) => [review, received.released.times]);
  assert.deepEqual(judged, [['xxxxxx'], 1]);
});

test('what does not fit waits, and the lightest is next', async () => {
  const { begun, judge } = judging();
  const first = judge('first', 90);
  judge('heavy', 80);
  const light = judge('light', 20);
  judge('middle', 70);
  await setImmediate();
  assert.deepEqual(begun, ['first']);
  first.answered();
  await setImmediate();
  assert.deepEqual(begun, ['first', 'light', 'middle']);
  light.answered();
});

test('a review that fails makes room too', async () => {
  const memory = new ReviewMemory(3_200, () => 0);
  const failed = memory.judged(body(90), deadline(), () => Promise.reject(new Error('no')));
  const next = memory.judged(body(90), deadline(), async () => 'judged');
  await assert.rejects(failed, { message: 'no' });
  assert.equal(await next, 'judged');
});

test('a review whose time is over while it waits is not judged', async () => {
  const { begun, judge } = judging();
  judge('first', 90);
  const waiting = judge('second', 90);
  waiting.deadline.end();
  await assert.rejects(waiting.judged, { code: 'TOO_LATE', status: 503 });
  await assert.rejects(judge('third', 10, waiting.deadline).judged, { code: 'TOO_LATE' });
  assert.deepEqual(begun, ['first']);
});

test('while others wait a review that takes long is ended, and only then', async (t: TestContext) => {
  const { now, pass } = clock(t);
  const { judge } = judging(now);
  const [first, second] = [judge('first', 40), judge('second', 40)];
  pass(10_000);
  assert.ok(!first.deadline.signal.aborted);
  judge('third', 90);
  pass(50);
  assert.ok(first.deadline.signal.aborted && second.deadline.signal.aborted);
});

test('a review that has just begun is left a second', async (t: TestContext) => {
  const { now, pass } = clock(t);
  const { judge } = judging(now);
  const first = judge('first', 90);
  judge('second', 90);
  pass(999);
  assert.ok(!first.deadline.signal.aborted);
  pass(1);
  assert.ok(first.deadline.signal.aborted);
});

test('a review that never fits is refused at once', async () => {
  await assert.rejects(judging().judge('huge', 101).judged, { code: 'TOO_MANY_VALUES', status: 413 });
});

for (const [what, text, code] of [
  ['empty', '', 'EMPTY_BODY'],
  ['no JSON', '{"a":', 'INVALID_JSON'],
] as const) {
  test(`a body that is ${what} is refused`, async () => {
    const memory = new ReviewMemory(3_200, () => 0);
    const received = { bytes: Buffer.from(text), release: () => {} };
    const judged = memory.judged(received, deadline(), async () => 'judged');
    await assert.rejects(judged, { code, status: 400 });
  });
}

const MB = 1024 * 1024;

for (const [what, piece, most] of [
  ['lists in lists', '[', 162],
  ['empty objects', '{},', 52],
  ['numbers', '1,', 20],
] as const) {
  test(`3 MiB of ${what} weigh what they become`, () => {
    const weight = parsedWeightOf(Buffer.alloc(3 * MB, piece));
    assert.ok(weight <= most * 3 * MB, `${weight}`);
    assert.ok(weight > 3 * MB * 5, `${weight}`);
  });
}

test('two objects of the 1.5 MiB that etcd stores fit into the room whatever they hold', () => {
  assert.ok(parsedWeightOf(Buffer.alloc(3 * MB, '{},')) < 128 * MB);
});
