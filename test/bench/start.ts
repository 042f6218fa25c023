import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { builtTools } from '../control-plane/go-tools.ts';
import { readyLine } from '../ready-line.ts';
import { applications, PROGRAM, withTree } from './lint.ts';
import { median } from './median.ts';

interface Subject {
  readonly what: string;
  readonly command: readonly string[];
  /** Where what Node compiled is kept; nowhere where it is empty. */
  readonly home: string;
  /** It is measured until it serves, and not until it ends. */
  readonly serves?: boolean;
}

const ROUNDS = 11;
const FILES = 1_000;

/** Prints how long each command takes from its start on, in turns, beside linters that read the same files. */
export async function printStarts(): Promise<void> {
  const files = applications(FILES);
  const linters = await builtTools({
    name: 'linters',
    module: join(import.meta.dirname, 'linters'),
    flags: ['-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags=-s -w'],
    announcement: 'building kube-score and kubeconform from source; done once; a minute on two cores',
  });
  await withTree(files, (folder) =>
    withTree([], async (home) => {
      const subjects = subjectsIn({ folder, names: files.map(([name]) => join(folder, name)), home, linters });
      const times = new Map(subjects.map(({ what }) => [what, [] as number[]]));
      for (let round = 0; round < ROUNDS; round++) {
        for (const subject of subjects) times.get(subject.what)?.push(await timeOf(subject));
      }
      for (const [what, some] of times) print(what, some);
    }),
  );
}

interface Given {
  readonly folder: string;
  readonly names: readonly string[];
  readonly home: string;
  readonly linters: string;
}

function subjectsIn({ folder, names, home, linters }: Given): readonly Subject[] {
  const ours = (...args: string[]) => ({ command: [process.execPath, PROGRAM, ...args], home });
  const other = (name: string, ...args: readonly string[]) => ({ command: [join(linters, name), ...args], home });
  // Its schemas lie on the network, so that it only parses here.
  const parsing = ['-ignore-missing-schemas', '-schema-location', join(home, 'none')];
  const one = names[1] ?? '';
  const local = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];
  return [
    { what: 'Node, which does nothing', command: [process.execPath, '-e', '0'], home },
    { what: 'rwo-guard --version', ...ours('--version') },
    { what: 'rwo-guard rules', ...ours('rules') },
    { what: 'rwo-guard lint of one file', ...ours('lint', one) },
    { what: 'the same, of which nothing was compiled before', ...ours('lint', one), home: '' },
    { what: 'kube-score of one file', ...other('kube-score', 'score', one) },
    { what: 'kubeconform of one file, without schemas', ...other('kubeconform', ...parsing, one) },
    { what: `rwo-guard lint of ${FILES} files`, ...ours('lint', folder) },
    { what: `kube-score of ${FILES} files`, ...other('kube-score', 'score', ...names) },
    { what: `kubeconform of ${FILES} files, without schemas`, ...other('kubeconform', ...parsing, folder) },
    { what: 'rwo-guard serve --snapshot, until ready', ...ours('serve', '--snapshot', one, ...local), serves: true },
  ];
}

/** Milliseconds. */
async function timeOf({ what, command: [program = '', ...args], home, serves = false }: Subject): Promise<number> {
  const { PATH } = process.env;
  const since = performance.now();
  const child = spawn(program, args, { env: { PATH, HOME: home }, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  if (serves) {
    await readyLine(child);
    const took = performance.now() - since;
    child.kill('SIGTERM');
    await ended;
    return took;
  }
  child.stderr?.resume();
  const [code] = await ended;
  if (code !== 0 && code !== 1) throw new Error(`${what} ended with ${code}`); // 1 where something was found
  return performance.now() - since;
}

function print(what: string, times: readonly number[]): void {
  const [middle, least, most] = [median(times), Math.min(...times), Math.max(...times)].map((time) => time.toFixed(0));
  process.stdout.write(`${what.padEnd(50)} ${middle?.padStart(6)} ms median, ${least} to ${most}\n`);
}
