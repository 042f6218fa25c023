import type { AccessModeFacts } from '../facts/access-mode-facts.ts';
import type { Forecast, Outcomes } from '../forecast/outcome.ts';
import type { Cause } from '../forecast/reasons.ts';
import type { Workload } from '../objects/workload.ts';
import type { ObjectRef } from '../snapshot/snapshot.ts';
import { type Problem, type Rule, type RuleMeta, SEVERITIES, type Severity } from './rule.ts';

/** One thing that is wrong with one object. */
export interface Finding {
  readonly rule: RuleMeta;
  readonly judges: Rule['judges'];
  readonly severity: Severity;
  /** The object's name. */
  readonly name: string;
  /** Completes the rule's reason for this object, with why it was lowered if it was. */
  readonly detail: string;
  readonly claims: readonly string[];
  readonly fix: string;
  /** What keeps pods waiting, where that is one thing. */
  readonly cause?: Cause;
  /** The other workloads that it is about. */
  readonly users?: readonly ObjectRef[];
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
  const { name } = workload.metadata;
  const open = more ? openFindings(rules, name, forecast.open) : [];
  return [...certain, ...open, ...(forecast.overBudget ? overBudgetFindings(rules, name) : [])];
}

export function evaluateClaim(rules: readonly Rule[], name: string, facts: AccessModeFacts): readonly Finding[] {
  return rules.flatMap((rule) => (rule.judges === 'claim' ? findings(rule, name, rule.check(facts)) : []));
}

/** The findings that say why no other rule could answer. */
export function openFindings(rules: readonly Rule[], name: string, because: readonly string[]): readonly Finding[] {
  return rules.flatMap((rule) => (rule.judges === 'open' ? findings(rule, name, rule.check(because)) : []));
}

/** Why not everything was judged. */
export const MORE_THAN_JUDGED = 'it takes more steps or look-ups than one request has';

/** The finding that says that not everything was judged. */
export function overBudgetFindings(rules: readonly Rule[], name: string): readonly Finding[] {
  return openFindings(rules, name, [MORE_THAN_JUDGED]).map((finding) => ({
    ...finding,
    fix: 'ask for less in one object',
    overBudget: true,
  }));
}

function checkedWith(rules: readonly Rule[], workload: Workload, outcomes: Outcomes): readonly Finding[] {
  return rules.flatMap((rule) => {
    if (rule.judges !== 'rollout' && rule.judges !== 'steady') return [];
    return findings(rule, workload.metadata.name, rule.check(workload, outcomes));
  });
}

function findings({ meta, judges }: Rule, name: string, problems: readonly Problem[]): readonly Finding[] {
  return problems.map(({ detail, lowered, ...problem }) => ({
    ...problem,
    rule: meta,
    judges,
    severity: lowered?.severity ?? meta.severity,
    name,
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
