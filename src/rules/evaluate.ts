import type { AccessModeFacts } from '../facts/access-mode-facts.ts';
import type { GuardFacts } from '../facts/guard-facts.ts';
import type { Forecast, Outcomes } from '../forecast/outcome.ts';
import type { Cause } from '../forecast/reasons.ts';
import type { Metadata } from '../objects/metadata.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { Workload } from '../objects/workload.ts';
import type { ObjectRef } from '../snapshot/snapshot.ts';
import type { Fix } from './remedy.ts';
import { type Problem, type Rule, type RuleMeta, SEVERITIES, type Severity } from './rule.ts';

/** The object that a finding is about. */
export interface FoundObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One thing that is wrong with one object. */
export interface Finding {
  readonly rule: RuleMeta;
  readonly judges: Rule['judges'];
  readonly severity: Severity;
  readonly object: FoundObject;
  /** What is wrong with the object, or its runs, as a clause that follows its name. */
  readonly reason: string;
  /** The same in a few words with the names of claims, and why it was lowered if it was. */
  readonly detail: string;
  /** How it comes about. */
  readonly why: string;
  readonly claims: readonly string[];
  /** What helps first. */
  readonly fix: Fix;
  /** What helps as well, in another way. */
  readonly or?: string;
  /** What keeps pods waiting, where that is one thing. */
  readonly cause?: Cause;
  /** The other workloads that it is about. */
  readonly users?: readonly ObjectRef[];
  /** Where it is about a workload that waits for a claim: that claim, which has just come. */
  readonly arrived?: FoundObject;
  /** Other rules that found the same. */
  readonly also?: readonly RuleMeta[];
  /** It stands for all that the budget of the review left unasked. */
  readonly overBudget?: true;
}

/**
 * What the rules find in a workload. Where they would find more if something unknown turned out badly, the open rule
 * says so, once for everything that is not known; and always where the budget left something unasked.
 */
export function evaluateWorkload(rules: readonly Rule[], workload: Workload, forecast: Forecast): readonly Finding[] {
  const certain = checkedWith(rules, workload, forecast.certain);
  const more = forecast.possible.some((outcomes) =>
    checkedWith(rules, workload, outcomes).some((finding) => !isIn(finding, certain)),
  );
  const object = foundIn(workload);
  const open = more ? openFindings(rules, object, forecast.open) : [];
  return [...certain, ...open, ...(forecast.overBudget ? overBudgetFindings(rules, object) : [])];
}

/** The workload as a finding names it. */
export function foundIn({ kind, metadata: { namespace, name } }: Workload): FoundObject {
  return { kind, namespace, name };
}

/** What the rules find in a claim by itself. */
export function evaluateClaim(
  rules: readonly Rule[],
  { metadata }: Pick<PersistentVolumeClaim, 'metadata'>,
  facts: AccessModeFacts,
): readonly Finding[] {
  const object = foundInClaim(metadata);
  return rules.flatMap((rule) => (rule.judges === 'claim' ? findings(rule, object, rule.check(facts)) : []));
}

/** The claim as a finding names it. */
export function foundInClaim({ namespace, name }: Pick<Metadata, 'namespace' | 'name'>): FoundObject {
  return { kind: 'PersistentVolumeClaim', namespace, name };
}

/** What the guards find in what somebody is about to do, and what they cannot tell. */
export function evaluateGuards(rules: readonly Rule[], object: FoundObject, facts: GuardFacts): readonly Finding[] {
  return rules.flatMap((rule) => {
    if (rule.judges !== 'guard') return [];
    const answers = rule.check(facts);
    const problems = answers.flatMap((answer) => ('known' in answer ? [] : [answer]));
    const open = answers.flatMap((answer) => ('known' in answer ? [answer.because] : []));
    const unknown = openFindings(rules, object, open).map((finding) => ({ ...finding, fix: MAKE_SURE }));
    return [...findings(rule, object, problems), ...unknown];
  });
}

const MAKE_SURE: Fix = { short: 'make sure of it first', written: 'make sure of it before you go on' };

/** The findings that say why no other rule could answer. */
export function openFindings(
  rules: readonly Rule[],
  object: FoundObject,
  because: readonly string[],
): readonly Finding[] {
  return rules.flatMap((rule) => (rule.judges === 'open' ? findings(rule, object, rule.check(because)) : []));
}

/** Why not everything was judged. */
export const MORE_THAN_JUDGED = 'it takes more steps or look-ups than one request has';

/** The finding that says that not everything was judged. */
export function overBudgetFindings(rules: readonly Rule[], object: FoundObject): readonly Finding[] {
  return openFindings(rules, object, [MORE_THAN_JUDGED]).map((finding) => ({
    ...finding,
    fix: ASK_FOR_LESS,
    overBudget: true,
  }));
}

const ASK_FOR_LESS: Fix = {
  short: 'ask for less in one object',
  written: 'fewer volumes, terms and values in one object',
};

function checkedWith(rules: readonly Rule[], workload: Workload, outcomes: Outcomes): readonly Finding[] {
  return rules.flatMap((rule) => {
    if (rule.judges !== 'rollout' && rule.judges !== 'steady') return [];
    return findings(rule, foundIn(workload), rule.check(workload, outcomes));
  });
}

function findings({ meta, judges }: Rule, object: FoundObject, problems: readonly Problem[]): readonly Finding[] {
  return problems.map(({ detail, lowered, ...problem }) => ({
    reason: meta.reason,
    ...problem,
    rule: meta,
    judges,
    severity: lowered?.severity ?? meta.severity,
    object,
    detail: lowered === undefined ? detail : `${detail}, ${lowered.because}`,
  }));
}

/**
 * Whether the others already hold this finding: the same rule about at least the same claims, and no less grave. What was
 * left unasked may be another thing each time.
 */
export function isIn(finding: Finding, others: readonly Finding[]): boolean {
  if (finding.overBudget) return false;
  return others.some(
    (other) =>
      other.rule.id === finding.rule.id &&
      SEVERITIES.indexOf(other.severity) <= SEVERITIES.indexOf(finding.severity) &&
      isAmong(finding.claims, other.claims),
  );
}

function isAmong(claims: readonly string[], others: readonly string[]): boolean {
  const all = new Set(others);
  return claims.every((claim) => all.has(claim));
}

/** Gravest first, and otherwise in the order of the rules. */
export function bySeverity(found: readonly Finding[]): readonly Finding[] {
  return SEVERITIES.flatMap((severity) => found.filter((finding) => finding.severity === severity));
}
