/**
 * The stories of all fixtures, as one text that a person can read from top to bottom. Run by itself, this writes it anew
 * into the file with which the tests compare it: `node test/stories/told-fixtures.ts`.
 */

import { writeFileSync } from 'node:fs';
import { Budget } from '../../src/budget.ts';
import { accessModeFacts } from '../../src/facts/access-mode-facts.ts';
import { gatherFacts, gathering } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { WorkloadFacts } from '../../src/facts/workload-facts.ts';
import type { Running } from '../../src/forecast/running.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { claimFrom } from '../../src/objects/persistent-volume-claim.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { evaluateClaim, type Finding } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { judge } from '../../src/rules/judge.ts';
import { savedBy } from '../../src/stories/saved-by.ts';
import { claimStory, type Story, storyFor } from '../../src/stories/told.ts';
import { everyFixture, type Fixture, type FixtureName, fixture } from '../fixtures.ts';

export const TOLD = new URL('fixtures.txt', import.meta.url);

/** More than all stories of a fixture take. */
const OPERATIONS = 10_000_000;

export interface ToldFixture extends FixtureName {
  readonly stories: readonly { readonly finding: Finding; readonly story: Story }[];
  /** Of one in which nothing is found. */
  readonly savedBy: readonly string[];
}

export function everyTold(): readonly ToldFixture[] {
  return everyFixture().map((one) => ({ ...one, ...told(fixture(one.rule, one.verdict, one.name)) }));
}

/** A claim by itself, or a workload as it is created and, where it is an update, as it is updated. */
function told({ state, subject, previous }: Fixture): Pick<ToldFixture, 'stories' | 'savedBy'> {
  const matrix = storageMatrix();
  if (subject.kind === 'PersistentVolumeClaim') {
    const claim = claimFrom(subject);
    const { facts } = gathering(state, matrix, new Budget(), (reading) => accessModeFacts(claim, reading));
    const found = evaluateClaim(rules, claim, facts);
    return { stories: found.map((finding) => ({ finding, story: claimStory(finding) })), savedBy: [] };
  }
  const kind = WORKLOAD_KINDS.find((candidate) => candidate === subject.kind) ?? 'Deployment';
  const factsOf = (object: JsonObject): WorkloadFacts =>
    gatherFacts(workloadFrom(kind, object), state, matrix, new Budget(OPERATIONS)).facts;
  const facts = factsOf(subject);
  const standing = toldOf(facts, {}, () => true);
  const running = previous && { before: factsOf(previous) };
  const stories = [
    ...(running === undefined ? [] : toldOf(facts, running, ({ judges }) => judges !== 'steady')),
    ...standing.filter(({ finding }) => running === undefined || finding.judges === 'steady'),
  ];
  return { stories, savedBy: stories.length > 0 ? [] : saved(facts) };
}

function toldOf(facts: WorkloadFacts, running: Running, isMeant: (finding: Finding) => boolean) {
  return judge({ rules }, facts, running)
    .filter(isMeant)
    .map((finding) => ({
      finding,
      story: storyFor(finding, { facts, running }),
    }));
}

function saved(facts: WorkloadFacts): readonly string[] {
  const { savings, aside } = savedBy(facts);
  return [
    ...savings.map(({ because, otherwise }) => (otherwise ? `${because} (else ${otherwise.rule.id})` : because)),
    ...aside.map((line) => `all the same, ${line}`),
  ];
}

/** Fixtures of which the same is told stand together. */
export function asText(all: readonly ToldFixture[]): string {
  const byText = Map.groupBy(all, bodyOf);
  return [...byText].map(([body, some]) => `${some.map(({ file }) => `${file}\n`).join('')}${body}`).join('\n');
}

function bodyOf({ stories, savedBy: reasons }: ToldFixture): string {
  const found = stories.map(
    ({ finding: { rule, severity, detail }, story: { lines } }) =>
      `  ${severity} ${rule.id}: ${detail}\n${lines.map((line, index) => `    ${index + 1}. ${line}\n`).join('')}`,
  );
  const nothing = found.length + reasons.length === 0 ? ['  nothing is found\n'] : [];
  return [...found, ...reasons.map((reason) => `  saved: ${reason}\n`), ...nothing].join('');
}

if (import.meta.main) writeFileSync(TOLD, asText(everyTold()));
