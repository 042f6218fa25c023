import type { AccessModeFacts } from '../facts/access-mode-facts.ts';
import type { ObjectRef } from '../facts/snapshot.ts';
import type { Workload } from '../facts/workload.ts';
import type { Forecast, Outcomes } from '../forecast/outcome.ts';
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
  /** The other workloads that it is about. */
  readonly users?: readonly ObjectRef[];
}

/**
 * What the rules find in a workload. Where they would find more if something unknown turned out badly, the open rule
 * says so, once for everything that is not known.
 */
export function evaluateWorkload(rules: readonly Rule[], workload: Workload, forecast: Forecast): readonly Finding[] {
  const certain = checkedWith(rules, workload, forecast.certain);
  const more = forecast.possible.some((outcomes) =>
    checkedWith(rules, workload, outcomes).some((finding) => !isIn(finding, certain)),
  );
  return more ? [...certain, ...openFindings(rules, workload.metadata.name, forecast.open)] : certain;
}

export function evaluateClaim(rules: readonly Rule[], name: string, facts: AccessModeFacts): readonly Finding[] {
  return rules.flatMap((rule) => (rule.judges === 'claim' ? findings(rule, name, rule.check(facts)) : []));
}

/** The findings that say why no other rule could answer. */
export function openFindings(rules: readonly Rule[], name: string, because: readonly string[]): readonly Finding[] {
  return rules.flatMap((rule) => (rule.judges === 'open' ? findings(rule, name, rule.check(because)) : []));
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

/** Whether the others already hold this finding: the same rule about at least the same claims, and no less grave. */
export function isIn(finding: Finding, others: readonly Finding[]): boolean {
  return others.some(
    (other) =>
      other.rule.id === finding.rule.id &&
      SEVERITIES.indexOf(other.severity) <= SEVERITIES.indexOf(finding.severity) &&
      finding.claims.every((claim) => other.claims.includes(claim)),
  );
}

/** Gravest first, and otherwise in the order of the rules. */
export function bySeverity(found: readonly Finding[]): readonly Finding[] {
  return SEVERITIES.flatMap((severity) => found.filter((finding) => finding.severity === severity));
}
