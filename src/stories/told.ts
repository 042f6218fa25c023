import { ASSUMPTIONS, type Assumption } from '../forecast/assumption.ts';
import { forecast } from '../forecast/forecast.ts';
import { sameJson } from '../objects/same-json.ts';
import { evaluateWorkload, type Finding, isIn } from '../rules/evaluate.ts';
import { rules } from '../rules/index.ts';
import { type About, findingStory } from './finding-story.ts';
import { listed } from './names.ts';
import type { Picture } from './picture.ts';
import { MOST_LINES, type StoryLine } from './story.ts';

/** What there is to tell of a finding. */
export interface Story {
  /** From the beginning to the end, a sentence or two each. */
  readonly lines: readonly string[];
  /** After each line, where everything is; none where no way is shown. */
  readonly pictures: readonly Picture[];
  /** Whether they are a way that the search has found; else they say what is known, and why there is no more. */
  readonly isShown: boolean;
}

/** Whose finding it is. */
export type ToldOf = Omit<About, 'assumption'>;

/** The story of a finding. Of what stayed open it is what may happen if the unknown turns out badly. */
export function storyFor(finding: Finding, of: ToldOf): Story {
  if (finding.overBudget)
    return untold('Judging it takes more steps than one workload has, so that no way is looked for.');
  if (finding.judges === 'open') return openStory(of);
  const lines = storyWithin(finding, { ...of, assumption: 'harmless' }, MOST_LINES);
  if (lines !== undefined) return shown(lines);
  const known = `Only this is known: ${finding.detail}.`;
  return untold(known, 'No way to it is shown, because looking for one takes more steps than there are.');
}

function shown(lines: readonly StoryLine[]): Story {
  return { lines: lines.map(({ text }) => text), pictures: lines.map(({ picture }) => picture), isShown: true };
}

function untold(...lines: readonly string[]): Story {
  return { lines, pictures: [], isShown: false };
}

/** Nothing where the budget ends before it is told. */
function storyWithin(finding: Finding, about: About, mostLines: number): readonly StoryLine[] | undefined {
  const { budget } = about.facts;
  return budget.left > 0 ? budget.answer(() => findingStory(finding, about, mostLines), undefined) : undefined;
}

/** Of what may be found besides, by how the unknown turns out, the first thing that there is a way to. */
function openStory(about: ToldOf): Story {
  const { facts, running } = about;
  const foretold = forecast(facts, running);
  const foundIn = (certain: typeof foretold.certain): readonly Finding[] =>
    evaluateWorkload(rules, facts.workload, { certain, possible: [], open: [], overBudget: false });
  const certain = foundIn(foretold.certain);
  for (const [index, outcomes] of foretold.possible.entries()) {
    const assumption = ASSUMPTIONS[index + 1];
    if (assumption === undefined || foretold.possible.slice(0, index).some((other) => sameJson(other, outcomes)))
      continue;
    for (const finding of foundIn(outcomes).filter((one) => !isIn(one, certain))) {
      // One line less, for the one that says what is assumed.
      const lines = storyWithin(finding, { ...about, assumption }, MOST_LINES - 1);
      const text = `${assumptionInWords(assumption, about)}, this can happen (${finding.rule.id}).`;
      if (lines !== undefined) return shown([...lines.slice(0, 1).map((first) => ({ ...first, text })), ...lines]);
    }
  }
  return untold('What may happen depends on what is not known, and no way is shown.');
}

function assumptionInWords(assumption: Assumption, { facts }: ToldOf): string {
  const open = facts.claims
    .filter(({ accessModes, attachable, onePod }) => !accessModes.known || !attachable.known || !onePod.known)
    .map(({ name }) => name);
  if (open.length === 0) return 'If what is not known turns out badly';
  const claims = open.length === 1 ? `claim ${open[0]} is a disk` : `claims ${listed(open)} are disks`;
  return `If ${claims} for one ${assumption === 'one-pod' ? 'pod' : 'node'} at a time`;
}

/** The story of a claim by itself, for which nothing is searched. */
export function claimStory({ object, detail, severity }: Finding): Story {
  const asked = (detail.split(', ', 1)[0] ?? '').replace(/(?: may be)? refused by /, ' on ');
  const when = severity === 'error' ? 'When its volume is to be made' : 'Where the storage is not set up for that';
  const isForMany = /^\w+Many /.test(asked);
  return untold(
    `Claim ${object.name} asks for ${asked}.`,
    `${when}, the provisioner refuses: the claim stays Pending, and with it every pod that mounts it.`,
    ...(isForMany
      ? ['Where it makes the volume all the same, a second node cannot attach it, and pods wait there.']
      : []),
  );
}
