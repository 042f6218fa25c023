/**
 * Runs the unit tests as two `node --test` side by side: those of the pure folders in one process, for starting one for
 * each file takes longer than they do, and all others in a process for each file. Arguments go to both.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { text } from 'node:stream/consumers';

/** Nothing in them reads a clock, waits or keeps anything, so that no file can change what another one sees. */
const PURE_FOLDERS = [
  'admission',
  'decision',
  'doctor',
  'drawing',
  'facts',
  'forecast',
  'mutations',
  'objects',
  'page',
  'report',
  'rules',
  'snapshot',
  'stories',
];

/** Most of the others wait for sockets and child processes, so that twice the two cores of a small machine are not too many. */
const FILES_AT_ONCE = 4;

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.test.ts'),
);
const isPure = (file: string): boolean => PURE_FOLDERS.some((folder) => file.startsWith(folder + sep));

const others = tests(
  files.filter((file) => !isPure(file)),
  [`--test-concurrency=${FILES_AT_ONCE}`],
  'inherit',
);
const pure = tests(files.filter(isPure), ['--test-isolation=none'], 'pipe');
const told = pure.stdout === null ? Promise.resolve('') : text(pure.stdout);
const [[otherCode], [pureCode]] = await Promise.all([once(others, 'close'), once(pure, 'close')]);
process.stdout.write(await told);
process.exitCode = otherCode === 0 && pureCode === 0 ? 0 : 1;

function tests(names: readonly string[], how: readonly string[], stdout: 'inherit' | 'pipe') {
  const paths = names.map((name) => join(import.meta.dirname, name));
  return spawn(process.execPath, ['--test', ...how, ...process.argv.slice(2), ...paths], {
    stdio: ['ignore', stdout, 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'rwo-guard-compile-cache') },
  });
}
