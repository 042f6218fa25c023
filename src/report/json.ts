import type { Report } from './report.ts';

/** One JSON document, whatever was found. What has no place has no `file`, `line` and `column`. */
export function jsonOf({ findings, inconclusive, unreadable, summary }: Report): string {
  const document = {
    findings: findings.map(({ rule, place, ...finding }) => ({
      rule: rule.id,
      severity: finding.severity,
      resource: finding.resource,
      claims: finding.claims,
      message: finding.message,
      remedy: rule.remedy,
      ...place,
      related: finding.related,
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
  return `${JSON.stringify(document, null, 2)}\n`;
}
