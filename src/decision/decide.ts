import { bySeverity, type Finding } from '../rules/evaluate.ts';
import type { Exemption, ExemptionPolicy } from '../rules/exemption.ts';
import { readAsOne } from '../rules/one-cause.ts';
import type { Severity } from '../rules/rule.ts';
import { denialOf } from './denial.ts';
import { annotationText, exemptionText, warningLine } from './message.ts';
import type { Mode, ModeChosen } from './mode.ts';

/** What the operator chose for all namespaces. */
export interface Policy {
  /** What a denial becomes in a dry run: a warning that says so, or the same denial. */
  readonly dryRun: 'warn' | 'same';
  /** What becomes of a problem that the object already had: a warning, or a denial like any other. */
  readonly existing: 'warn' | 'deny';
  /** Whether the annotation counts with which an object exempts itself from rules. */
  readonly exemptions: ExemptionPolicy;
  /** What becomes of an object that takes more steps to judge than one request has: a warning, or a denial. */
  readonly overBudget: 'warn' | 'deny';
}

export interface Judged {
  /** Findings that this request brings about. */
  readonly found: readonly Finding[];
  /** Findings that were there before it. */
  readonly existing: readonly Finding[];
  /** What would have been found, if the objects did not exempt themselves. */
  readonly exemptions: readonly Exemption[];
  /** Whatever else the user should read: labels and annotations that do not count. */
  readonly notes: readonly string[];
  /** Whether an object that exists was sent by server-side apply. */
  readonly overwrites?: boolean;
  /** False where nobody would be there to read a denial: an autoscaler, a controller's object. */
  readonly deniable: boolean;
}

export interface AuditAnnotations {
  readonly [key: string]: string;
}

/** A finding, and what the user hears of it. */
export interface DecidedFinding {
  readonly rule: string;
  readonly severity: Severity;
  /** Where it is `audited`, the audit log alone hears of it. */
  readonly outcome: 'denied' | 'would-be-denied' | 'warned' | 'audited';
}

/** What the API server hears of a decision. */
export type Verdict =
  | { readonly verdict: 'allow'; readonly warnings: readonly string[]; readonly annotations: AuditAnnotations }
  | {
      readonly verdict: 'deny';
      /** Line by line. */
      readonly message: readonly string[];
      readonly warnings: readonly string[];
      readonly annotations: AuditAnnotations;
    };

export type Decision = Verdict & { readonly mode: Mode; readonly findings: readonly DecidedFinding[] };

/** Decides by the severity, which belongs to the rule, and the mode, which belongs to the namespace. */
export function decide(judged: Judged, { mode, problem }: ModeChosen, policy: Policy, dryRun: boolean): Decision {
  const problems = problem === undefined ? [] : [problem];
  if (mode === 'off') return { verdict: 'allow', mode, findings: [], warnings: problems, annotations: { mode } };
  const all = bySeverity([...judged.found, ...judged.existing]);
  const annotations = annotationsOf(mode, all, judged.exemptions);
  if (mode === 'audit') {
    const findings = all.map((finding) => decidedAs('audited', finding));
    return { verdict: 'allow', mode, findings, warnings: problems, annotations };
  }

  const notes = [...problems, ...judged.notes];
  const toDeny = new Set(mode === 'enforce' && judged.deniable ? deniedBy(judged, policy) : []);
  const onlyWarns = dryRun && policy.dryRun === 'warn';
  const denied = onlyWarns ? 'would-be-denied' : 'denied';
  const findings = all.map((finding) => decidedAs(toDeny.has(finding) ? denied : 'warned', finding));
  const [first, ...rest] = readAsOne(all.filter((finding) => toDeny.has(finding)));
  const warned = readAsOne(all.filter((finding) => !toDeny.has(finding))).map(warningLine);
  const decided = { mode, findings, annotations };
  if (first === undefined) return { verdict: 'allow', ...decided, warnings: [...warned, ...notes] };
  if (onlyWarns) {
    const would = [first, ...rest].map((finding) => `would be denied: ${warningLine(finding)}`);
    return { verdict: 'allow', ...decided, warnings: [...would, ...warned, ...notes, DRY_RUN_PASSES] };
  }
  const refusal = { exemptions: policy.exemptions === 'allow', overwrites: judged.overwrites ?? false };
  return {
    verdict: 'deny',
    ...decided,
    message: denialOf([first, ...rest], refusal),
    warnings: [...warned, ...notes],
  };
}

function decidedAs(outcome: DecidedFinding['outcome'], { rule, severity }: Finding): DecidedFinding {
  return { rule: rule.id, severity, outcome };
}

/** A pipeline that asks by a dry run is green where the same request is denied later. */
const DRY_RUN_PASSES =
  'this dry run passes, the real request would not: to fail here, run rwo-guard lint, or set dryRun: same';

function deniedBy({ found, existing }: Judged, policy: Policy): readonly Finding[] {
  const counted = policy.existing === 'deny' ? [...found, ...existing] : found;
  const isDenied = ({ severity, overBudget }: Finding): boolean =>
    severity === 'error' || (overBudget === true && policy.overBudget === 'deny');
  return counted.filter(isDenied);
}

/** The API server puts the entry's name before each key, so that the keys themselves stay short. */
function annotationsOf(mode: Mode, found: readonly Finding[], exemptions: readonly Exemption[]): AuditAnnotations {
  return {
    mode,
    ...(found.length > 0 && { findings: annotationText(found) }),
    ...exemptionAnnotation(exemptions),
  };
}

/** What exempted itself, which nothing else tells. */
export function exemptionAnnotation(exemptions: readonly Exemption[]): AuditAnnotations {
  return exemptions.length === 0 ? {} : { exempted: exemptionText(exemptions) };
}
