import { printedJson } from './printed-json.ts';
import { type Report, wholeMessage } from './report.ts';
import type { ScanReport } from './scan-report.ts';

/** One JSON document, whatever was found. What has no place has no `file`, `line` and `column`. */
export function jsonOf(report: Report): string {
  return printedJson(documentOf(report));
}

/** The same as `jsonOf`, and what a scan tells besides. */
export function scanJsonOf(report: ScanReport): string {
  const { cluster, namespaces, waiting, exempt, mutated, worstNode, unseen } = report;
  const { summary, ...found } = documentOf(report);
  return printedJson({ cluster, ...found, waiting, namespaces, exempt, mutated, worstNode, unseen, summary });
}

function documentOf({ findings, inconclusive, unreadable, summary }: Report) {
  return {
    findings: findings.map(({ rule, place, ...finding }) => ({
      rule: rule.id,
      severity: finding.severity,
      resource: finding.resource,
      claims: finding.claims,
      also: finding.also.length === 0 ? undefined : finding.also.map(({ id }) => id),
      message: wholeMessage(finding),
      fix: finding.fix,
      or: finding.or,
      remedy: rule.remedy,
      ...place,
      related: finding.related,
      now: finding.now,
      evidence: finding.evidence,
      story: finding.story,
      fingerprint: finding.fingerprint,
    })),
    inconclusive: inconclusive.map(({ rule, resource, because, place, story }) => ({
      rule: rule.id,
      resource,
      because,
      ...place,
      story,
    })),
    unreadable,
    summary,
  };
}
