/**
 * Runs the unit tests, several `node --test` side by side: those of some folders in one process for each group, for starting one
 * for each file takes longer than they do, and all others in a process for each file. Arguments go to all of them. The program
 * that some tests start is built before.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
  'recovery',
  'report',
  'rules',
  'snapshot',
  'stories',
  'yaml',
];

/** Whatever of their folders runs in one process. The time of `certs` is that of worlds which each test makes for itself. */
const GROUPS = [PURE_FOLDERS, ['certs']];

/** A test that ends the process would otherwise end those of its group that come after it, and nobody would miss them. */
const NO_EXIT = "process.exit = () => { throw new Error('this ends the process, in which other tests run too') }";
const TOGETHER = ['--test-isolation=none', '--import', `data:text/javascript,${encodeURIComponent(NO_EXIT)}`];

/** Most of the others wait for sockets and child processes, so that twice the two cores of a small machine are not too many. */
const FILES_AT_ONCE = 4;

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.test.ts'),
);
const isOf = (folders: readonly string[]) => (file: string) => folders.some((folder) => file.startsWith(folder + sep));

const scratch = mkdtempSync(join(tmpdir(), 'rwo-guard-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const built = join(scratch, 'built');
execFileSync(process.execPath, [join(import.meta.dirname, 'build.ts'), built], { stdio: 'inherit' });

const others = tests(
  files.filter((file) => !isOf(GROUPS.flat())(file)),
  [`--test-concurrency=${FILES_AT_ONCE}`],
  'inherit',
);
const groups = GROUPS.map((folders) => tests(files.filter(isOf(folders)), TOGETHER, 'pipe'));
const told = groups.map(({ stdout }) => (stdout === null ? '' : text(stdout)));
const codes = await Promise.all([others, ...groups].map(async (run) => (await once(run, 'close'))[0]));
for (const one of told) process.stdout.write(await one);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;

function tests(names: readonly string[], how: readonly string[], stdout: 'inherit' | 'pipe') {
  const paths = names.map((name) => join(import.meta.dirname, name));
  return spawn(process.execPath, ['--test', ...how, ...process.argv.slice(2), ...paths], {
    stdio: ['ignore', stdout, 'inherit'],
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(scratch, 'compiled'),
      RWO_GUARD_BUILT: join(built, 'rwo-guard.js'),
    },
  });
}
