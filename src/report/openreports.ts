import { createHash } from 'node:crypto';
import type { Severity } from '../rules/rule.ts';
import { type Report, type ReportedFinding, type ReportedObject, type ReportedOpen, wholeMessage } from './report.ts';

/** All that one object has wrong, as OpenReports has it (`openreports/reports-api`, `apis/openreports.io/v1alpha1`). */
export interface OpenReport {
  readonly apiVersion: 'openreports.io/v1alpha1';
  readonly kind: 'Report';
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    /** So that it goes with the object that it is about. */
    readonly ownerReferences?: readonly Required<ObjectReference>[];
  };
  readonly source: string;
  readonly scope: ObjectReference & { readonly namespace: string };
  readonly summary: Readonly<Record<Result | 'pass' | 'skip', number>>;
  readonly results: readonly OpenReportResult[];
}

export interface OpenReportResult {
  readonly policy: string;
  readonly category: string;
  readonly severity: 'high' | 'medium' | 'low' | 'info';
  readonly result: Result;
  readonly scored: boolean;
  readonly message: string;
  readonly timestamp: { readonly seconds: number; readonly nanos: 0 };
  readonly properties: Readonly<Record<string, string>>;
}

/** `error` is a policy that could not be evaluated. */
type Result = 'fail' | 'warn' | 'error';

interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid?: string;
}

export interface OpenReportSources {
  /** What tells the object from others of its name; absent where nobody knows. */
  readonly uidOf?: (resource: ReportedObject) => string | undefined;
  /** Seconds since 1970. */
  readonly foundAt: number;
}

/** By what our reports are found again among those of others. */
export const REPORT_LABELS = { 'app.kubernetes.io/managed-by': 'rwo-guard' } as const;

/** One Report for each object of which anything was found, or stayed open. */
export function openReportsOf(
  { findings, inconclusive }: Pick<Report, 'findings' | 'inconclusive'>,
  sources: OpenReportSources,
): readonly OpenReport[] {
  const all = [
    ...findings.map((finding) => ({ about: finding.resource, result: resultOf(finding, sources) })),
    ...inconclusive.map((open) => ({ about: open.resource, result: openResultOf(open, sources) })),
  ];
  const byName = Map.groupBy(all, ({ about: { namespace, kind, name } }) => JSON.stringify([namespace, kind, name]));
  return [...byName.values()].flatMap((ofOne) => {
    const about = ofOne[0]?.about;
    // Everything that is judged lives in a namespace; a Report does as well.
    if (about?.namespace === undefined) return [];
    const results = ofOne.map(({ result }) => result);
    return [reportOf({ ...about, namespace: about.namespace }, results, sources.uidOf?.(about))];
  });
}

function reportOf(
  about: ReportedObject & { readonly namespace: string },
  results: readonly OpenReportResult[],
  uid: string | undefined,
): OpenReport {
  const { apiVersion, kind, namespace, name } = about;
  const count = (wanted: Result): number => results.filter(({ result }) => result === wanted).length;
  return {
    apiVersion: 'openreports.io/v1alpha1',
    kind: 'Report',
    metadata: {
      namespace,
      name: reportName(about),
      labels: REPORT_LABELS,
      ...(uid !== undefined && { ownerReferences: [{ apiVersion, kind, name, uid }] }),
    },
    source: 'rwo-guard',
    scope: { apiVersion, kind, namespace, name, ...(uid !== undefined && { uid }) },
    summary: { pass: 0, fail: count('fail'), warn: count('warn'), error: count('error'), skip: 0 },
    results,
  };
}

/** The longest name that an object may have (`apimachinery/pkg/util/validation:DNS1123SubdomainMaxLength`). */
const MOST_OF_NAME = 253;

/** The name of the Report about an object. */
export function reportName({ kind, name }: Pick<ReportedObject, 'kind' | 'name'>): string {
  const whole = `rwo-guard-${kind.toLowerCase()}-${name}`;
  if (whole.length <= MOST_OF_NAME) return whole;
  const tail = createHash('sha256').update(whole).digest('hex').slice(0, 16);
  return `${whole.slice(0, MOST_OF_NAME - tail.length)}${tail}`;
}

const CATEGORY = 'Storage';

/** A finding that is no error is not scored, which is what OpenReports calls `warn`. */
const RESULTS: Readonly<Record<Severity, Pick<OpenReportResult, 'severity' | 'result' | 'scored'>>> = {
  error: { severity: 'high', result: 'fail', scored: true },
  warning: { severity: 'medium', result: 'warn', scored: false },
  info: { severity: 'low', result: 'warn', scored: false },
};

function resultOf(finding: ReportedFinding, { foundAt }: OpenReportSources): OpenReportResult {
  const { rule, severity, claims, also, fix, or, now, fingerprint } = finding;
  return {
    policy: rule.id,
    category: CATEGORY,
    ...RESULTS[severity],
    message: wholeMessage(finding),
    timestamp: { seconds: foundAt, nanos: 0 },
    properties: {
      fingerprint,
      fix,
      ...(or !== undefined && { or }),
      ...(claims.length > 0 && { claims: claims.join(', ') }),
      ...(also.length > 0 && { also: also.map(({ id }) => id).join(', ') }),
      ...(now !== undefined && { state: now.state }),
    },
  };
}

function openResultOf({ rule, because }: ReportedOpen, { foundAt }: OpenReportSources): OpenReportResult {
  return {
    ...{ policy: rule.id, category: CATEGORY, severity: 'info', result: 'error', scored: false },
    message: because,
    timestamp: { seconds: foundAt, nanos: 0 },
    properties: {},
  };
}
