import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until.ts';

/** Starts two sleepers, forgets one of them, and tells their pids. */
const PARENT = `
  import { spawn } from 'node:child_process';
  import { startReaper } from ${JSON.stringify(join(import.meta.dirname, 'reaper.ts'))};
  const reaper = startReaper({ signal: 'KILL', remove: process.argv[1] });
  const [watched, forgotten] = [1, 2].map(() => spawn('sleep', ['60'], { stdio: 'ignore' }).pid);
  for (const pid of [watched, forgotten]) reaper.watch(pid);
  reaper.forget(forgotten);
  console.log(watched + ' ' + forgotten);
`;

test('the reaper ends what it watches, and only that, when its process is killed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'reaper-'));
  const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const [watched = 0, forgotten = 0] = String(line).split(' ').map(Number);
  t.after(() => process.kill(forgotten, 'SIGKILL'));
  await sleep(50); // the pids go through a pipe

  parent.kill('SIGKILL');

  await until('the watched process to end', async () => !isRunning(watched), { timeoutMs: 5_000 });
  await until('the folder to be removed', async () => !existsSync(folder), { timeoutMs: 5_000 });
  assert.ok(isRunning(forgotten));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
}
