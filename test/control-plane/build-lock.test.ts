import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { alone } from './build-lock.ts';

test('the build lock lets one work at a time', async (t) => {
  const lock = lockFile(t);
  const steps: string[] = [];
  const work = (name: string) => () => {
    steps.push(`${name} begins`);
    return sleep(20).then(() => steps.push(`${name} ends`));
  };
  await Promise.all([alone(lock, work('first')), alone(lock, work('second'))]);
  const [winner, loser] = steps[0] === 'first begins' ? ['first', 'second'] : ['second', 'first'];
  assert.deepEqual(steps, [`${winner} begins`, `${winner} ends`, `${loser} begins`, `${loser} ends`]);
});

test('the build lock is released by work that fails', async (t) => {
  const lock = lockFile(t);
  await assert.rejects(
    alone(lock, () => Promise.reject(new Error('no space left'))),
    /no space left/,
  );
  assert.equal(existsSync(lock), false);
});

test('the build lock of a process that is gone is taken over', async (t) => {
  const lock = lockFile(t);
  const minuteAgo = new Date(Date.now() - 60_000);
  writeFileSync(lock, '');
  utimesSync(lock, minuteAgo, minuteAgo);
  assert.equal(await alone(lock, async () => 'built'), 'built');
});

function lockFile(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'build-lock-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'lock');
}
