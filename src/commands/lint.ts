import { isAbsolute, relative, resolve } from 'node:path';
import { editsFor, refuseStdin } from '../lint/edit.ts';
import { type Input, readInput } from '../lint/input.ts';
import { inputObjects } from '../lint/input-objects.ts';
import { judged, type LintFinding } from '../lint/judge.ts';
import { notesAbout, strayInWords } from '../lint/notes.ts';
import { print, writeReport } from '../lint/output.ts';
import { progressOn } from '../lint/progress.ts';
import { reportOf, resourceOf } from '../lint/report.ts';
import { type LintOptions, type LintSettings, lintSettings } from '../lint/settings.ts';
import { isNode, withoutStrayNodes } from '../lint/stray-nodes.ts';
import { unifiedDiff } from '../lint/unified-diff.ts';
import { type Linted, stepsAfter, written } from '../lint/write.ts';
import { exitCode } from '../report/exit-code.ts';
import type { Report } from '../report/report.ts';
import { Ignores } from '../rules/configured-ignores.ts';
import { UsageError } from '../usage-error.ts';
import { excludedBy } from '../yaml/files.ts';
import { readManifests } from '../yaml/read-manifests.ts';
import type { Surroundings } from './command.ts';

/** What `lint` has of the process, beside what every command has. */
export interface LintSurroundings extends Pick<Surroundings, 'env' | 'stdout' | 'stderr' | 'version'> {
  readonly stdin: AsyncIterable<Buffer>;
  readonly workingDirectory: string;
  /** Milliseconds since 1970, in UTC. */
  readonly now: () => number;
}

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
  await print(stderr, report.notes.map((note) => `rwo-guard: ${note}\n`).join(''));
  if (diff !== undefined) await print(stdout, diff);
  const wanted = diff === undefined ? outputs : outputs.filter(({ file }) => file !== undefined);
  const colour = isColoured(options, surroundings);
  await writeReport(report, wanted, stdout, { failOn, colour, version, workingDirectory });
  return exitCode(report, failOn);
}

/** What was found, with `--fix` after the files were changed, and with `--diff` beside what it would change. */
async function lintedAndFixed(
  paths: readonly string[],
  { fix, diff }: LintOptions,
  settings: LintSettings,
  surroundings: LintSurroundings,
): Promise<{ readonly report: Report; readonly diff?: string }> {
  const { workingDirectory } = surroundings;
  if (fix || diff) refuseStdin(paths);
  const run = async () => linted(await inputOf(paths, settings, surroundings), settings, surroundings.now());
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

/** From the working directory, as `git apply` looks for it, or its whole path where it lies outside. */
function shownIn(workingDirectory: string, file: string): string {
  const within = relative(workingDirectory, file);
  return within.startsWith('..') || isAbsolute(within) ? resolve(workingDirectory, file) : within;
}

async function linted(input: Input, settings: LintSettings, now: number): Promise<Linted> {
  const { manifests, stray } = withoutStrayNodes(input.manifests);
  const objects = inputObjects([...(await nodesOf(settings)), ...manifests]);
  const { findings, ...found } = judged(objects, settings);
  const ignores = new Ignores(settings.ignore, new Date(now).toISOString().slice(0, 10));
  const notes = [...notesAbout(input, objects, settings), ...(settings.nodesAsked ? [] : strayInWords(stray))];
  const report = reportOf({ objects, judged: { findings, ...found }, unreadable: input.unreadable, notes, ignores });
  const counts = (finding: LintFinding): boolean =>
    !ignores.covers({ rule: finding.finding.rule, resource: resourceOf(finding) });
  return { report, edits: () => editsFor(findings, counts) };
}

async function inputOf(
  paths: readonly string[],
  { exclude }: LintSettings,
  { stdin, stderr, now, workingDirectory }: LintSurroundings,
): Promise<Input> {
  const progress = progressOn(stderr, now);
  try {
    return await readInput(paths, { excluded: excludedBy(exclude, workingDirectory), stdin, progress: progress.files });
  } finally {
    progress.done();
  }
}

/** The Node objects of the file that was named; whatever else it holds is not part of the input. */
async function nodesOf({ nodesFile }: LintSettings): Promise<Input['manifests']> {
  if (nodesFile === undefined) return [];
  const { manifests } = await readManifests(nodesFile).catch((cause: unknown) => {
    throw new UsageError(`--nodes ${nodesFile} is neither a number from 1 upwards nor a file that can be read`, {
      cause,
    });
  });
  const nodes = manifests.filter(isNode);
  if (nodes.length > 0) return nodes;
  throw new UsageError(`--nodes ${nodesFile} holds no Node: write it by kubectl get nodes -o yaml`);
}

/** https://no-color.org: any value that is not empty. */
function isColoured({ color }: LintOptions, { env, stdout }: LintSurroundings): boolean {
  return color !== false && !env.NO_COLOR && 'isTTY' in stdout && stdout.isTTY === true;
}
