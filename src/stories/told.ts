import { ASSUMPTIONS, type Assumption } from '../forecast/assumption.ts';
import { forecast } from '../forecast/forecast.ts';
import type { Forecast } from '../forecast/outcome.ts';
import { sameJson } from '../objects/same-json.ts';
import { evaluateWorkload, type Finding, isIn } from '../rules/evaluate.ts';
import { rules } from '../rules/index.ts';
import { type About, findingStory } from './finding-story.ts';
import { listed } from './names.ts';

/** What there is to tell of a finding. */
export interface Story {
  /** From the beginning to the end, a sentence or two each. */
  readonly lines: readonly string[];
  /** Whether they are a way that the search has found; else they say what is known, and why there is no more. */
  readonly isShown: boolean;
}

/** Whose finding it is. */
export type ToldOf = Omit<About, 'assumption'>;

/** The story of a finding. Of what stayed open it is what may happen if the unknown turns out badly. */
export function storyFor(finding: Finding, of: ToldOf): Story {
  if (finding.overBudget) return { lines: [OVER_BUDGET], isShown: false };
  if (finding.judges === 'open') return openStory(of);
  const lines = storyWithin(finding, { ...of, assumption: 'harmless' });
  return lines === undefined ? unknownStory(finding, of) : { lines, isShown: true };
}

/** Nothing where the budget ends before it is told. */
function storyWithin(finding: Finding, about: About, mostLines?: number): readonly string[] | undefined {
  const { budget } = about.facts;
  return budget.left > 0 ? budget.answer(() => findingStory(finding, about, mostLines), undefined) : undefined;
}

const OVER_BUDGET = 'Judging it takes more steps than one workload has, so that no way is looked for.';

/** What is known without a way, and why there is none. */
function unknownStory({ rule, detail }: Finding, { facts }: ToldOf): Story {
  const known = `Only this is known: ${rule.reason} (${detail}).`;
  const because =
    facts.budget.left <= 0 || facts.budget.gaveUp
      ? 'looking for one takes more steps than there are'
      : (nowhere(facts) ?? 'the search, which follows each pod and each volume, has found none');
  return { lines: [known, `No way to it is shown, because ${because}.`], isShown: false };
}

/** Pods that no node takes, its own or those of who shares its volumes, come into no way. */
function nowhere({ nodes, otherUsers, ...own }: ToldOf['facts']): string | undefined {
  if (!nodes.known) return undefined;
  const lost = [own, ...otherUsers.pods].find((pods) =>
    own.budget.answer(() => nodes.value.landing(pods).size === 0, false),
  );
  if (lost === undefined) return undefined;
  const { kind, metadata } = lost.workload;
  return `no node takes the pods of ${kind} ${metadata.name}`;
}

/** Of what may be found besides, by how the unknown turns out, the first thing that there is a way to. */
function openStory(about: ToldOf): Story {
  const { facts, running } = about;
  const { workload } = facts;
  const foretold = forecast(facts, running);
  const whole = (certain: Forecast['certain']) => ({ certain, possible: [], open: [], overBudget: false });
  const certain = evaluateWorkload(rules, workload, whole(foretold.certain));
  for (const [index, outcomes] of foretold.possible.entries()) {
    const assumption = ASSUMPTIONS[index + 1];
    if (assumption === undefined || foretold.possible.slice(0, index).some((other) => sameJson(other, outcomes)))
      continue;
    for (const finding of evaluateWorkload(rules, workload, whole(outcomes))) {
      if (isIn(finding, certain)) continue;
      const lines = storyWithin(finding, { ...about, assumption }, MOST_LINES_BESIDE);
      if (lines !== undefined)
        return {
          lines: [`${leadOf(assumption, about)}, this can happen (${finding.rule.id}).`, ...lines],
          isShown: true,
        };
    }
  }
  return { lines: ['What may happen depends on what is not known, and no way is shown.'], isShown: false };
}

/** One line less, for the one that says what is assumed. */
const MOST_LINES_BESIDE = 7;

function leadOf(assumption: Assumption, { facts }: Omit<About, 'assumption'>): string {
  const open = facts.claims.filter(({ accessModes, attachable, onePod }) =>
    [accessModes, attachable, onePod].some((fact) => !fact.known),
  );
  const [first, ...others] = open.map(({ name }) => name);
  if (first === undefined) return 'If what is not known turns out badly';
  const claims = others.length === 0 ? `claim ${first} is a disk` : `claims ${listed([first, ...others])} are disks`;
  return `If ${claims} for one ${assumption === 'one-pod' ? 'pod' : 'node'} at a time`;
}

/** The story of a claim by itself, for which nothing is searched. */
export function claimStory({ name, detail, severity }: Finding): Story {
  const [asked = ''] = detail.split(', ');
  const refuses = 'the provisioner refuses: the claim stays Pending, and with it every pod that mounts it.';
  const isForMany = /^\w+Many /.test(asked);
  return {
    lines: [
      `Claim ${name} asks for ${asked}.`,
      severity === 'error'
        ? `When its volume is to be made, ${refuses}`
        : `Where the storage is not set up for that, ${refuses}`,
      ...(isForMany
        ? ['Where it makes the volume all the same, a second node cannot attach it, and pods wait there.']
        : []),
    ],
    isShown: false,
  };
}
