import { Budget } from '../budget.ts';
import { type Mode, modeFrom } from '../decision/mode.ts';
import { accessModeFacts } from '../facts/access-mode-facts.ts';
import { gatherFacts, gathering } from '../facts/gather.ts';
import { namespaceLabelsOf } from '../facts/namespace-labels.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import { matchesName } from '../objects/name-pattern.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { Workload } from '../objects/workload.ts';
import { bySeverity, evaluateClaim, type Finding, foundIn, overBudgetFindings } from '../rules/evaluate.ts';
import { applyExemption, type ExemptionTerms } from '../rules/exemption.ts';
import { type Judge, judge } from '../rules/judge.ts';
import { isOfMaker } from '../snapshot/maker.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import type { AuditedRef } from './standing-objects.ts';

/** By what standing objects are judged. */
export interface AuditedBy {
  readonly snapshot: ClusterSnapshot;
  readonly matrix: StorageMatrix;
  readonly judge: Judge;
  readonly defaultMode: Mode;
  readonly exemptions: () => ExemptionTerms;
  /** Names, exact or with a trailing `*`, of namespaces that are left alone. */
  readonly exemptNamespaces: readonly string[];
}

/** What is found in an object as it stands. */
export interface Standing {
  /** Gravest first. */
  readonly findings: readonly Finding[];
  /** Absent of a claim. */
  readonly workload?: Workload;
}

/** Judges an object as it stands; `undefined` where there is none, or nobody is to hear of it. */
export function judgeStanding(ref: AuditedRef, by: AuditedBy): Standing | undefined {
  if (isLeftAlone(ref.namespace, by)) return undefined;
  if (ref.kind === 'PersistentVolumeClaim') {
    const claim = by.snapshot.get(ref.kind, ref.namespace, ref.name);
    if (!claim.known || claim.value === undefined || claim.value.metadata.deleting) return undefined;
    return { findings: claimFindings(claim.value, by) };
  }
  const found = by.snapshot.get(ref.kind, ref.namespace, ref.name);
  const workload = found.known ? found.value : undefined;
  if (workload === undefined || workload.metadata.deleting || isOfMaker(workload, by.snapshot)) return undefined;
  return { findings: workloadFindings(workload, by), workload };
}

/** What the webhook never judges, nobody hears of either: where the mode is `off`, people asked to be left alone. */
function isLeftAlone(namespace: string, { snapshot, matrix, defaultMode, exemptNamespaces }: AuditedBy): boolean {
  if (exemptNamespaces.some((pattern) => matchesName(pattern, namespace))) return true;
  const { facts } = gathering(snapshot, matrix, new Budget(), (reading) => namespaceLabelsOf(namespace, reading));
  return modeFrom(facts, defaultMode).mode === 'off';
}

function workloadFindings(workload: Workload, by: AuditedBy): readonly Finding[] {
  const budget = new Budget();
  const judged = () => judge(by.judge, gatherFacts(workload, by.snapshot, by.matrix, budget).facts);
  const found = budget.answer(judged, undefined) ?? overBudgetFindings(by.judge.rules, foundIn(workload));
  return kept(found, workload, by);
}

function claimFindings(claim: PersistentVolumeClaim, by: AuditedBy): readonly Finding[] {
  const { facts } = gathering(by.snapshot, by.matrix, new Budget(), (reading) => accessModeFacts(claim, reading));
  return kept(evaluateClaim(by.judge.rules, claim, facts), claim, by);
}

function kept(
  found: readonly Finding[],
  { metadata }: Pick<Workload, 'metadata'>,
  { judge: { rules }, exemptions }: AuditedBy,
): readonly Finding[] {
  return bySeverity(applyExemption(found, metadata, rules, exemptions()).kept);
}
