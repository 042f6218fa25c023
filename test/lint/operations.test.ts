import assert from 'node:assert/strict';
import { Session } from 'node:inspector';
import { test } from 'node:test';
import { type TreeFile, WORST_TREES } from './worst-trees.ts';

/** Half of it is more than any crowd of which only the first are looked at, so that the bounds hold at both sizes. */
const SIZE = 132;

const ASSUMPTIONS = { attach: 'yes', accessMode: undefined, nodes: 'several' } as const;

/** The forecast has a budget for each workload, and would drown all else here. */
const COUNTED = /\/src\/(?:yaml|lint|commands|report)\//;

interface Coverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

const session = new Session();
session.connect();

function ask(method: string, options?: object): readonly Coverage[] {
  let found: readonly Coverage[] = [];
  session.post(method, options, (error, answer?: { readonly result?: readonly Coverage[] }) => {
    if (error !== null) throw error;
    found = answer?.result ?? [];
  });
  return found;
}

// What is compiled before has no counters.
ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const { judged } = await import('../../src/lint/judge.ts');
const { reportOf } = await import('../../src/lint/report.ts');
const { storageMatrix } = await import('../../src/facts/storage-backend.ts');
const { parseManifests } = await import('../../src/yaml/read-manifests.ts');
const { writtenObjects } = await import('../../src/lint/input-objects.ts');
const { Ignores } = await import('../../src/rules/configured-ignores.ts');

function linted(files: readonly TreeFile[]) {
  const objects = writtenObjects(files.flatMap(([path, text]) => parseManifests(text, path).manifests));
  const found = judged(objects, { assumptions: ASSUMPTIONS, matrix: storageMatrix() });
  return reportOf({ objects, judged: found, unreadable: [], notes: [], ignores: new Ignores([], '2026-11-01') });
}

/** How often any block of our code ran, loops and all, as the engine counts it. */
function operationsOf(work: () => unknown): number {
  ask('Profiler.takePreciseCoverage'); // which begins to count anew
  work();
  const ours = ask('Profiler.takePreciseCoverage').filter(({ url }) => COUNTED.test(url));
  const counts = ours.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
  return counts.reduce((sum, count) => sum + count, 0);
}

test('what is counted grows with a loop', () => {
  const text = (n: number): string => `apiVersion: v1\nkind: Node\n---\n`.repeat(n);
  const [one = 0, ten = 0] = [10, 100].map((n) => operationsOf(() => parseManifests(text(n), 'a.yaml')));
  assert.ok(one > 50 && ten > 8 * one, `${one} and ${ten}`);
});

for (const { name, files } of WORST_TREES.filter(({ size, budgeted }) => size > 1 && !budgeted)) {
  // A quadratic part would double it once more; what the engine counts differs by a tenth from run to run.
  test(`twice as many ${name} take twice as many operations`, () => {
    const [once = 0, twice = 0] = [SIZE, 2 * SIZE].map((n) => operationsOf(() => linted(files(n))));
    assert.ok(once > SIZE && twice < 2.6 * once, `${once} and ${twice}`);
  });
}

test('a finding names no more of a crowd, however large it is', () => {
  const tree = WORST_TREES.find(({ name }) => name === 'users of one claim');
  const { findings } = linted(tree?.files(SIZE) ?? []);
  assert.equal(findings.length, SIZE);
  assert.ok(findings.every(({ related, message }) => related.length < 20 && message.length < 300));
});
