import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog, LinesOfTurn } from '../src/log.ts';

function logged(fields: object): Record<string, unknown> {
  const destination = new PassThrough();
  createLog('info', destination).info(fields, 'review answered');
  const text = String(destination.read());
  assert.equal(text.split('\n').length, 2);
  return JSON.parse(text);
}

test('a line is one JSON object with its level, its time and its fields', () => {
  const { time, ...line } = logged({ user: 'jane', seconds: 0.5, findings: [{ rule: 'claim-shared' }] });
  assert.match(String(time), /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(line, {
    level: 'info',
    user: 'jane',
    seconds: 0.5,
    findings: [{ rule: 'claim-shared' }],
    msg: 'review answered',
  });
});

test('no text makes a line long, or holds what nobody can see', () => {
  const { user, name } = logged({ user: 'a'.repeat(3_000_000), name: '\u202egnp\u2028\u0007' });
  assert.equal(String(user).length, 1_022);
  assert.equal(name, ' gnp ');
});

test('an error is told with its code and its stack, and with not too much of either', () => {
  const error = Object.assign(new Error(`went\u202e wrong ${'x'.repeat(3_000_000)}`), { code: 'E1' });
  const { err } = logged({ err: error });
  assert.ok(typeof err === 'object' && err !== null && 'code' in err && 'stack' in err);
  assert.equal(err.code, 'E1');
  assert.match(String(err.stack), /^Error: went {2}wrong x+…\n {4}at /);
  assert.ok(JSON.stringify(err).length < 12_000);
});

test('the lines of one turn of the event loop are written together, those that are left at the end', async () => {
  const written: string[] = [];
  const lines = new LinesOfTurn({ write: (text) => void written.push(text) });
  for (const line of ['a\n', 'b\n']) lines.write(line);
  assert.deepEqual(written, []);
  await nextTurn();
  lines.write('c\n');
  lines.flush();
  lines.flush();
  await nextTurn();
  assert.deepEqual(written, ['a\nb\n', 'c\n']);
});
