import { KINDS } from '../objects/kinds.ts';
import { distinct, fingerprint } from '../report/fingerprint.ts';
import type { Report, ReportedFinding, ReportedObject } from '../report/report.ts';
import type { Finding } from '../rules/evaluate.ts';
import { byCause } from '../rules/one-cause.ts';
import type { AuditedRef } from './standing-objects.ts';

/** What was found in one object, in the words of a report. */
export type Reported = Pick<Report, 'findings' | 'inconclusive'>;

/** The findings of one object, those of one cause as one. */
export function reportedOf(ref: AuditedRef, found: readonly Finding[]): Reported {
  const resource = resourceOf(ref);
  const [open, counting] = [found.filter(isOpen), found.filter((finding) => !isOpen(finding))];
  const findings = [...byCause(counting)].map(([finding, led]) => reported(finding, led, resource));
  const inconclusive = open.map(({ rule, detail }) => ({ rule, resource, because: detail }));
  return { findings: distinct(findings), inconclusive };
}

function isOpen({ judges }: Finding): boolean {
  return judges === 'open';
}

function reported(finding: Finding, led: readonly Finding[], resource: ReportedObject): ReportedFinding {
  const { rule, severity, claims, reason, why, fix, or } = finding;
  return {
    ...{ rule, resource, severity, claims, or },
    also: led.map((one) => one.rule),
    message: `${reason}: ${why}`,
    assumed: [],
    fix: fix.written,
    related: [],
    fingerprint: fingerprint({ rule, resource, claims }),
  };
}

export function resourceOf({ kind, namespace, name }: AuditedRef): ReportedObject {
  return { apiVersion: KINDS[kind].apiVersion, kind, namespace, name };
}
