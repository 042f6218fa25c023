/*
 * Charts as `helm template` and its like print them. What is to be said of one stands in a comment on the line to change,
 * such as `# expect: error rollout-deadlock Deployment/web`, or in `expected.txt` beside files that take no comments.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { lint } from '../src/commands/lint.ts';

const CHARTS = join(import.meta.dirname, 'charts');

for (const [verdict, title] of [
  ['pass', 'nothing is wrong with'],
  ['fail', 'every hazard is found, and nothing else, in'],
  ['inconclusive', 'what the input does not tell is named for'],
] as const) {
  for (const chart of readdirSync(join(CHARTS, verdict))) {
    test(`${title} "${chart.replace('.yaml', '').replaceAll('-', ' ')}"`, async () => {
      const expected = expectedOf(join(CHARTS, verdict, chart));
      assert.equal(verdictOf(expected), verdict);
      assert.deepEqual(await saidOf(join(CHARTS, verdict, chart)), expected);
    });
  }
}

/** One line for each finding, open question, unreadable document and note; of files by their names below the chart. */
function expectedOf(chart: string): readonly string[] {
  const files = statSync(chart).isFile() ? [''] : readdirSync(chart, { recursive: true, encoding: 'utf8' });
  return files
    .map((file) => ({ file, path: join(chart, file) }))
    .filter(({ path }) => statSync(path).isFile())
    .flatMap(({ file, path }) => {
      const lines = readFileSync(path, 'utf8').split(/\r?\n/);
      if (file === 'expected.txt') return lines.filter((line) => line !== '');
      return lines.flatMap((line, index) => {
        const comment = line.split(' # expect: ')[1];
        return comment === undefined ? [] : comment.split('; ').map((said) => `${file}:${index + 1}: ${said}`);
      });
    })
    .toSorted();
}

function verdictOf(expected: readonly string[]): string {
  if (expected.some((line) => line.includes(': inconclusive '))) return 'inconclusive';
  return expected.every((line) => line.startsWith('note: ')) ? 'pass' : 'fail';
}

interface Spot {
  readonly file: string;
  readonly line: number;
}

interface About extends Spot {
  readonly rule: string;
  readonly resource: { readonly kind: string; readonly name: string };
}

interface Said {
  readonly findings: readonly (About & { readonly severity: string })[];
  readonly inconclusive: readonly (About & { readonly because: string })[];
  readonly unreadable: readonly Spot[];
}

async function saidOf(chart: string): Promise<readonly string[]> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const process = { env: {}, version: '0.0.0', workingDirectory: CHARTS, stdin: Readable.from([]), now: () => 0 };
  await lint([chart], { format: ['json'] }, { ...process, stdout, stderr });
  const { findings, inconclusive, unreadable }: Said = JSON.parse(String(stdout.read()));
  const notes = String(stderr.read() ?? '')
    .split('\n')
    .slice(0, -1);
  const at = ({ file, line }: Spot) => `${relative(chart, file)}:${line}`;
  const object = ({ resource: { kind, name } }: About) => `${kind}/${name}`;
  return [
    ...findings.map((found) => `${at(found)}: ${found.severity} ${found.rule} ${object(found)}`),
    ...inconclusive.map((open) => `${at(open)}: inconclusive ${open.rule} ${object(open)} because ${open.because}`),
    ...unreadable.map((part) => `${at(part)}: unreadable`),
    ...notes.map((note) => note.replace('rwo-guard:', 'note:').replaceAll(`${chart}/`, '')),
  ].toSorted();
}
