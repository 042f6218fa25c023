import { storageMatrix } from '../facts/storage-backend.ts';
import { readInput } from '../offline/lint-input.ts';
import { excludedBy } from '../offline/manifest-files.ts';
import { writtenObjects } from '../offline/written-objects.ts';
import { exitCode, type FailOn } from '../report/exit-code.ts';
import { jsonOf } from '../report/json.ts';
import { textOf } from '../report/text.ts';
import { Ignores } from '../rules/configured-ignores.ts';
import type { Surroundings } from './command.ts';
import { judged } from './lint-judge.ts';
import { reportOf } from './lint-report.ts';

export interface LintOptions {
  readonly format?: readonly string[];
  readonly failOn?: FailOn;
}

/** Judges manifests without a cluster. */
export async function lint(
  paths: readonly string[],
  { format = ['text'], failOn = 'error' }: LintOptions,
  { stdout }: Pick<Surroundings, 'stdout'>,
): Promise<number> {
  const input = await readInput(paths, { excluded: excludedBy([], '.'), stdin: process.stdin, progress: () => {} });
  const objects = writtenObjects(input.manifests);
  const found = judged(objects, {
    assumptions: { attach: 'yes', accessMode: undefined, nodes: 'several' },
    matrix: storageMatrix(),
  });
  const report = reportOf({
    objects,
    judged: found,
    unreadable: input.unreadable,
    notes: [],
    ignores: new Ignores([], ''),
  });
  for (const name of format) stdout.write(name === 'json' ? jsonOf(report) : textOf(report, { colour: false }));
  return exitCode(report, failOn);
}
