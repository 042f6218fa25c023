import { asServedToday } from '../lint/api-versions.ts';
import type { LintSubject } from '../lint/input-objects.ts';
import { type JudgedSubject, judgeOf, type LintFinding } from '../lint/judge.ts';
import { print } from '../lint/output.ts';
import { type LintSurroundings, type ReadObjects, readObjects } from '../lint/read-objects.ts';
import { objectOf, resourceOf, shortMessageOf } from '../lint/report.ts';
import { dayOf, type LintOptions, type LintSettings, lintSettings } from '../lint/settings.ts';
import { UnreadableObjectError } from '../objects/json.ts';
import { isWorkload, readObject } from '../objects/read-object.ts';
import { makerOf } from '../objects/workload.ts';
import { oneLine } from '../one-line.ts';
import { type Explained, type ExplainedObject, type ExplainedReason, explainedJson } from '../report/explained.ts';
import { explainedText } from '../report/explained-text.ts';
import { Ignores } from '../rules/configured-ignores.ts';
import { savedBy } from '../stories/saved-by.ts';
import { StoryBudget } from '../stories/story-budget.ts';
import { UsageError } from '../usage-error.ts';
import type { Manifest } from '../yaml/read-manifests.ts';
import { type Choice, chosenFrom, doubtsAboutChoices, isChosen } from './explain-choice.ts';
import { lookOf } from './lint.ts';

/** The command line as Commander reads it. */
export interface ExplainOptions
  extends Pick<
    LintOptions,
    'exclude' | 'gitignore' | 'nodes' | 'assumeAttach' | 'assumeAccessMode' | 'config' | 'color'
  > {
  readonly namespace?: string;
  readonly format?: string;
}

/** Tells how each finding comes about, and of what passes what saves it. Rejects with UsageError where it was asked for in a wrong way. */
export async function explain(
  args: readonly string[],
  { namespace, format = 'text', ...options }: ExplainOptions,
  surroundings: LintSurroundings,
): Promise<number> {
  const { stdout, stderr, workingDirectory } = surroundings;
  if (format !== 'text' && format !== 'json') throw new UsageError(`--format must be text or json, not ${format}`);
  const { paths, choices } = chosenFrom(args, workingDirectory);
  const settings = await lintSettings(options, workingDirectory);
  const read = await readObjects(paths, settings, surroundings);
  const doubts = doubtsAboutChoices(read.manifests, choices, namespace);
  const today = dayOf(surroundings.now());
  const { explained, notes } = explainedOf(read, { choices, namespace }, settings, today);
  await print(stderr, [...read.notes, ...doubts, ...notes].map((note) => `rwo-guard: ${oneLine(note)}\n`).join(''));
  const look = lookOf(options, surroundings);
  await print(stdout, format === 'json' ? explainedJson(explained) : explainedText(explained, look));
  return explained.unreadable.length > 0 ? 2 : 0;
}

interface Asked {
  readonly choices: readonly Choice[];
  readonly namespace: string | undefined;
}

function explainedOf(
  { input, manifests, objects }: ReadObjects,
  { choices, namespace }: Asked,
  settings: LintSettings,
  today: string,
): { readonly explained: Explained; readonly notes: readonly string[] } {
  const stories = new StoryBudget();
  const judge = judgeOf(objects, { ...settings, stories, today });
  const ignores = new Ignores(settings.ignore, today);
  const asSubject = new Map(objects.subjects.map((subject) => [subject.manifest, subject]));
  const isAsked = choices.length > 0;
  const notes: string[] = [];
  const explained = manifests
    .filter((manifest) => isChosen(manifest, choices, namespace))
    .flatMap((manifest): readonly ExplainedObject[] => {
      const subject = asSubject.get(manifest) ?? (isAsked ? unjudged(manifest) : undefined);
      if (subject === undefined) {
        const unfinished = objects.unfinished.find((one) => one.manifest === manifest);
        if (isAsked && unfinished)
          notes.push(`${manifest.file}:${manifest.line}: not explained: ${unfinished.because}`);
        return [];
      }
      const judged = judge(subject);
      notes.push(...judged.notes);
      const one = explainedObject(subject, judged, stories, ignores);
      // Of all that there is, a claim is told of where something is wrong with it.
      return isAsked || subject.type === 'workload' || one.findings.length > 0 ? [one] : [];
    });
  const unreadable = [...input.unreadable, ...objects.unreadable];
  return { explained: { objects: explained, unreadable }, notes };
}

/** A workload that lint leaves out, because its pods share no volume, or another one makes it. */
function unjudged(manifest: Manifest): LintSubject | undefined {
  try {
    const read = readObject(asServedToday(manifest.object), '');
    return read !== undefined && isWorkload(read) ? { type: 'workload', manifest, workload: read.value } : undefined;
  } catch (error) {
    if (error instanceof UnreadableObjectError) return undefined;
    throw error;
  }
}

function explainedObject(
  subject: LintSubject,
  { findings, exempt, factsFor }: JudgedSubject,
  stories: StoryBudget,
  ignores: Ignores,
): ExplainedObject {
  const isCovered = (found: LintFinding): boolean =>
    ignores.covers({ rule: found.finding.rule, resource: resourceOf(found) });
  const told = [...findings, ...exempt].map((found) => ({
    rule: found.finding.rule,
    severity: found.finding.severity,
    message: shortMessageOf(found),
    fix: found.finding.judges === 'open' ? undefined : found.finding.fix.written,
    ignored: exempt.includes(found) || isCovered(found),
    story: found.story?.lines ?? [],
    shown: found.story?.isShown ?? false,
  }));
  const object = { ...objectOf(subject.manifest), findings: told, savedBy: [], aside: [] };
  if (told.length > 0) return object;
  const maker = subject.type === 'workload' ? makerOf(subject.workload) : undefined;
  if (maker !== undefined)
    return { ...object, savedBy: [reason(`${maker.kind} ${maker.name} makes it: explain that`)] };
  if (factsFor === undefined) return { ...object, savedBy: [reason(MODES_FIT)] };
  const { savings, aside } = stories.spend(factsFor, savedBy);
  return {
    ...object,
    savedBy: savings.map(({ because, otherwise }) => ({ because, otherwise: otherwise?.rule })),
    aside,
  };
}

/** Of a claim. */
const MODES_FIT = 'nothing tells that its provisioner refuses the modes that it asks for';

function reason(because: string): ExplainedReason {
  return { because, otherwise: undefined };
}
