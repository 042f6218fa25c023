import { readManifests } from '../offline/read-manifests.ts';
import { exitCode, type FailOn } from '../report/exit-code.ts';
import { jsonOf } from '../report/json.ts';
import { textOf } from '../report/text.ts';
import type { Surroundings } from './command.ts';
import { judgeInput } from './lint-judge.ts';

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
  const inputs = await Promise.all(paths.map(readManifests));
  const report = judgeInput({
    manifests: inputs.flatMap(({ manifests }) => manifests),
    unreadable: inputs.flatMap(({ unreadable }) => unreadable),
  });
  for (const name of format) stdout.write(name === 'json' ? jsonOf(report) : textOf(report, { colour: false }));
  return exitCode(report, failOn);
}
