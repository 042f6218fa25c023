import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Budget } from '../src/budget.ts';
import { accessModeFacts } from '../src/facts/access-mode-facts.ts';
import { gatherFacts, gathering } from '../src/facts/gather.ts';
import { storageMatrix } from '../src/facts/storage-backend.ts';
import { forecast } from '../src/forecast/forecast.ts';
import { snapshotOf } from '../src/lint/file-snapshot.ts';
import { type JsonObject, stringAt } from '../src/objects/json.ts';
import { WORKLOAD_KINDS } from '../src/objects/kinds.ts';
import { metadataFrom } from '../src/objects/metadata.ts';
import { claimFrom } from '../src/objects/persistent-volume-claim.ts';
import { workloadFrom } from '../src/objects/read-workload.ts';
import { evaluateClaim, evaluateWorkload, type Finding } from '../src/rules/evaluate.ts';
import { manifestRules, rules } from '../src/rules/index.ts';
import type { Rule } from '../src/rules/rule.ts';
import type { ClusterState } from '../src/snapshot/cluster-state.ts';
import { parseManifests } from '../src/yaml/read-manifests.ts';
import { deepFrozen } from './deep-frozen.ts';

export const FIXTURES = new URL('fixtures/', import.meta.url);

export type Verdict = 'pass' | 'fail' | 'inconclusive';

const VERDICTS: readonly Verdict[] = ['pass', 'fail', 'inconclusive'];

export interface FixtureName {
  readonly rule: string;
  readonly verdict: Verdict;
  readonly name: string;
  /** Below their folder. */
  readonly file: string;
}

/** A little cluster and the object in it that is judged: its last one. */
export interface Fixture {
  readonly state: ClusterState;
  readonly subject: JsonObject;
  /** The same object as it was until now, where it is updated: the one before the last. */
  readonly previous: JsonObject | undefined;
  /** Where the subject begins in its file. */
  readonly line: number;
}

/** The names of a rule's fixtures of one verdict, without their ending. */
export function fixtureNames(rule: string, verdict: Verdict, fixtures = FIXTURES): readonly string[] {
  const folder = new URL(`${rule}/${verdict}/`, fixtures);
  return existsSync(folder) ? readdirSync(folder).map((file) => file.replace(/\.yaml$/, '')) : [];
}

/** Those of guards are no manifests that somebody applies, and `guard-fixtures.ts` reads them. */
export function everyFixture(fixtures = FIXTURES, of: readonly Rule[] = manifestRules): readonly FixtureName[] {
  return of.flatMap(({ meta: { id: rule } }) =>
    VERDICTS.flatMap((verdict) =>
      fixtureNames(rule, verdict, fixtures).map((name) => ({
        rule,
        verdict,
        name,
        file: `${rule}/${verdict}/${name}.yaml`,
      })),
    ),
  );
}

export function fixture(rule: string, verdict: Verdict, name: string, fixtures = FIXTURES): Fixture {
  const file = `${rule}/${verdict}/${name}.yaml`;
  const { manifests, unreadable } = parseManifests(readFileSync(new URL(file, fixtures), 'utf8'), file);
  const { snapshot, objects, unreadable: refused } = snapshotOf(manifests);
  const [problem] = [...unreadable, ...refused];
  if (problem !== undefined) throw new Error(`${file}:${problem.line}: ${problem.because}`);
  const [before, last] = manifests.slice(-2);
  if (last === undefined || objects !== manifests.length) throw new Error(`${file} holds what nobody reads`);
  const { object: subject } = last;
  const previous = before !== undefined && isSameObject(before.object, subject) ? before.object : undefined;
  return {
    state: snapshot,
    subject,
    previous,
    get line() {
      return last.line; // which parses the file again
    },
  };
}

function isSameObject(one: JsonObject, other: JsonObject): boolean {
  const [a, b] = [metadataFrom(one), metadataFrom(other)];
  return one.kind === other.kind && a.namespace === b.namespace && a.name === b.name;
}

/** What all rules find in the subject, from facts that nothing may change. */
export function findingsIn({ state, subject, previous }: Fixture, ask: typeof forecast = forecast): readonly Finding[] {
  const matrix = storageMatrix();
  if (stringAt(subject, 'kind') === 'PersistentVolumeClaim') {
    const claim = claimFrom(subject);
    const { facts } = gathering(state, matrix, new Budget(), (reading) => accessModeFacts(claim, reading));
    return evaluateClaim(rules, claim, deepFrozen(facts));
  }
  const kind = WORKLOAD_KINDS.find((candidate) => candidate === subject.kind);
  if (kind === undefined) throw new Error(`no rule judges a ${String(subject.kind)}`);
  const factsOf = (object: JsonObject) =>
    deepFrozen(gatherFacts(workloadFrom(kind, object), state, matrix, new Budget()).facts);
  const facts = factsOf(subject);
  const standing = evaluateWorkload(rules, facts.workload, deepFrozen(ask(facts)));
  if (previous === undefined) return standing;
  const rollout = deepFrozen(ask(facts, { before: factsOf(previous) }));
  return [
    ...evaluateWorkload(rules, facts.workload, rollout).filter(({ judges }) => judges !== 'steady'),
    ...standing.filter(({ judges }) => judges === 'steady'),
  ];
}
