import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { deadlineFor } from '../../src/server/deadline.ts';
import { RequestBodies } from '../../src/server/request-bodies.ts';

const KB = 1024;

/** What a request is counted with before anything of its body has come. */
const EMPTY = 4 * KB;

function receiving(all: number, one = all) {
  const cutOff = { times: 0 };
  const bodies = new RequestBodies({ one, all }, () => cutOff.times++);
  const receive = (headers: Record<string, string> = {}) => {
    const request = new IncomingMessage(new Socket());
    Object.assign(request.headers, headers);
    const deadline = deadlineFor('30s');
    const received = bodies.receive(request, deadline);
    received.catch(() => {}).finally(deadline.met);
    return { request, deadline, received, send: (bytes: number) => request.push(Buffer.alloc(bytes, 'x')) };
  };
  return { bodies, receive, cutOff };
}

/** Until what was sent has been taken. */
async function taken(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}

test('a body comes in as it was sent, and counts until it is released', async () => {
  const { bodies, receive } = receiving(100 * KB);
  const { request, received } = receive();
  for (const piece of ['{"a":', '1}', null]) request.push(piece);
  const { bytes, release } = await received;
  assert.equal(String(bytes), '{"a":1}');
  assert.ok(bodies.held >= EMPTY + 7, `${bodies.held}`);
  release();
  release();
  assert.equal(bodies.held, 0);
});

test('a body that is sent byte by byte is kept in one piece of at most twice its length', async () => {
  const { bodies, receive } = receiving(100 * KB);
  const { request, received, send } = receive();
  for (let n = 0; n < 1_000; n++) send(1);
  request.push(null);
  assert.equal((await received).bytes.length, 1_000);
  assert.ok(bodies.held - EMPTY <= 2_000, `${bodies.held}`);
});

test('a length that a sender only claims holds no memory', async () => {
  const { bodies, receive } = receiving(100 * KB);
  const { send } = receive({ 'content-length': `${90 * KB}` });
  send(10);
  await taken();
  assert.equal(bodies.held, EMPTY + 10);
});

test('a body that says of itself that it is too large is refused before any of it is kept', async () => {
  const { bodies, receive, cutOff } = receiving(100 * KB, 10 * KB);
  const other = receive();
  await assert.rejects(receive({ 'content-length': `${10 * KB + 1}` }).received, {
    code: 'BODY_TOO_LARGE',
    status: 413,
  });
  assert.equal(bodies.held, EMPTY);
  assert.equal(cutOff.times, 0);
  other.request.destroy();
});

test('a body that turns out to be too large is let go', async () => {
  const { bodies, receive } = receiving(100 * KB, 10 * KB);
  const { received, send } = receive();
  send(6 * KB);
  send(6 * KB);
  await assert.rejects(received, { code: 'BODY_TOO_LARGE' });
  assert.equal(bodies.held, 0);
});

test('where room is missing the body that has been unfinished for longest is cut off', async () => {
  const { bodies, receive, cutOff } = receiving(100 * KB);
  const [oldest, second, newest] = [receive(), receive(), receive()];
  for (const { send } of [oldest, second]) send(40 * KB);
  await taken();
  newest.send(40 * KB);
  await assert.rejects(oldest.received, { code: 'TOO_LATE' });
  assert.ok(oldest.request.destroyed);
  assert.ok(oldest.deadline.signal.aborted);
  assert.ok(!second.request.destroyed && !newest.request.destroyed);
  assert.equal(cutOff.times, 1);
  assert.equal(bodies.held, 2 * (EMPTY + 40 * KB));
  for (const { request } of [second, newest]) request.push(null);
  await Promise.all([second.received, newest.received]);
});

test('a whole body stays while others are unfinished, and then the largest goes', async () => {
  const { receive } = receiving(100 * KB);
  const [small, large] = [receive(), receive()];
  small.send(10 * KB);
  large.send(40 * KB);
  for (const { request } of [small, large]) request.push(null);
  await Promise.all([small.received, large.received]);
  const [unfinished, next] = [receive(), receive()];
  unfinished.send(20 * KB);
  await taken();
  next.send(30 * KB);
  await assert.rejects(unfinished.received, { code: 'TOO_LATE' });
  assert.ok(!large.deadline.signal.aborted);
  next.send(1);
  await taken();
  assert.ok(large.deadline.signal.aborted && !small.deadline.signal.aborted);
  next.request.destroy();
});

test('a body that fills all the room by itself is cut off when nothing else is left', async () => {
  const { bodies, receive, cutOff } = receiving(100 * KB, 200 * KB);
  const { received, send } = receive();
  send(120 * KB);
  await assert.rejects(received, { code: 'TOO_LATE' });
  assert.deepEqual([bodies.held, cutOff.times], [0, 1]);
});

test('a thousand requests that send nothing hold no more than the limit', async () => {
  const { bodies, receive, cutOff } = receiving(100 * KB);
  const all = Array.from({ length: 1_000 }, () => receive());
  await taken();
  assert.ok(bodies.held <= 100 * KB);
  assert.equal(cutOff.times, 1_000 - 25);
  assert.ok(!all.at(-1)?.request.destroyed);
  for (const { request } of all) request.destroy();
});

for (const [what, end, code] of [
  [
    'whose time is over',
    ({ deadline }: ReturnType<ReturnType<typeof receiving>['receive']>) => deadline.end(),
    'TOO_LATE',
  ],
  ['whose sender hangs up', ({ request }: { request: IncomingMessage }) => request.destroy(), 'UNFINISHED_BODY'],
] as const) {
  test(`a body ${what} is let go`, async () => {
    const { bodies, receive } = receiving(100 * KB);
    const body = receive();
    body.send(10);
    await taken();
    end(body);
    await assert.rejects(body.received, { code });
    assert.equal(bodies.held, 0);
  });
}
