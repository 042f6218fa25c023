import { isAbsolute, relative, resolve } from 'node:path';
import { RecurringAnswers } from '../forecast/recurring-answers.ts';
import { editsFor, refuseStdin } from '../lint/fix-files.ts';
import { judged, type LintFinding } from '../lint/judge.ts';
import { print, writeReport } from '../lint/output.ts';
import { type LintSurroundings, type ReadObjects, readObjects } from '../lint/read-objects.ts';
import { reportOf, resourceOf } from '../lint/report.ts';
import { dayOf, type LintOptions, type LintSettings, lintSettings } from '../lint/settings.ts';
import { unifiedDiff } from '../lint/unified-diff.ts';
import { type Linted, stepsAfter, written } from '../lint/write.ts';
import { oneLine } from '../one-line.ts';
import { exitCode } from '../report/exit-code.ts';
import type { Report } from '../report/report.ts';
import type { TextOptions } from '../report/text.ts';
import { Ignores } from '../rules/configured-ignores.ts';
import { StoryBudget } from '../stories/story-budget.ts';

/** Judges manifests without a cluster, and prints what was found. Rejects with UsageError where it was asked for in a wrong way. */
export async function lint(
  paths: readonly string[],
  options: LintOptions,
  surroundings: LintSurroundings,
): Promise<number> {
  const { stdout, stderr, version, workingDirectory } = surroundings;
  const settings = await lintSettings(options, workingDirectory);
  const { failOn, outputs } = settings;
  const { report, diff } = await lintedAndFixed(paths, options, settings, surroundings);
  await print(stderr, report.notes.map((note) => `rwo-guard: ${oneLine(note)}\n`).join(''));
  if (diff !== undefined) await print(stdout, diff);
  const wanted = diff === undefined ? outputs : outputs.filter(({ file }) => file !== undefined);
  const fixes = !options.fix && !options.diff;
  const look = lookOf(options, surroundings);
  await writeReport(report, wanted, stdout, { failOn, ...look, fixes, version, workingDirectory });
  return exitCode(report, failOn);
}

/** What was found, with `--fix` after the files were changed, and with `--diff` beside what it would change. */
async function lintedAndFixed(
  paths: readonly string[],
  { fix, diff, explain = false }: LintOptions,
  settings: LintSettings,
  surroundings: LintSurroundings,
): Promise<{ readonly report: Report; readonly diff?: string }> {
  const { workingDirectory } = surroundings;
  if (fix || diff) refuseStdin(paths);
  const isDrawn = settings.outputs.some(({ format }) => format === 'html');
  const how = { explain: explain || isDrawn, today: dayOf(surroundings.now()) };
  const run = async () => linted(await readObjects(paths, settings, surroundings), settings, how);
  if (diff) {
    const { report, edits } = await run();
    const { files, notes } = edits();
    const diffs = await Promise.all(
      files.map(({ file, before, after }) => unifiedDiff(shownIn(workingDirectory, file), before, after)),
    );
    return { report: { ...report, notes: [...report.notes, ...stepsAfter(files), ...notes] }, diff: diffs.join('') };
  }
  return { report: fix ? await written(run) : (await run()).report };
}

/** The file's path from the working directory, as `git apply` looks for it, or its whole path if it lies outside. */
function shownIn(workingDirectory: string, file: string): string {
  const within = relative(workingDirectory, file);
  return within.startsWith('..') || isAbsolute(within) ? resolve(workingDirectory, file) : within;
}

async function linted(
  read: ReadObjects,
  settings: LintSettings,
  { explain, today }: { readonly explain: boolean; readonly today: string },
): Promise<Linted> {
  const { input, objects, notes } = read;
  const stories = explain ? new StoryBudget() : undefined;
  const { findings, ...found } = judged(objects, { ...settings, stories, answers: new RecurringAnswers(), today });
  const ignores = new Ignores(settings.ignore, today);
  const report = reportOf({ objects, judged: { findings, ...found }, unreadable: input.unreadable, notes, ignores });
  const counts = (finding: LintFinding): boolean =>
    !ignores.covers({ rule: finding.finding.rule, resource: resourceOf(finding) });
  return { report, edits: () => editsFor(findings, { counts, today }) };
}

/** How text looks on this stdout: coloured and marked on a terminal, and as wide as that is. */
export function lookOf(
  { color }: Pick<LintOptions, 'color'>,
  { env, stdout }: Pick<LintSurroundings, 'env' | 'stdout'>,
): Pick<TextOptions, 'colour' | 'marks' | 'width'> {
  const isTerminal = 'isTTY' in stdout && stdout.isTTY === true;
  const columns = 'columns' in stdout && typeof stdout.columns === 'number' ? stdout.columns : 0;
  const colour = color !== false && !env.NO_COLOR && isTerminal; // https://no-color.org: any value that is not empty
  return { colour, marks: isTerminal, width: isTerminal && columns > 0 ? columns : WIDTH_OF_A_PIPE };
}

/** What a file or a pull request shows without a scroll bar. */
const WIDTH_OF_A_PIPE = 80;
