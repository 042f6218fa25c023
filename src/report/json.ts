import { printedJson } from './printed-json.ts';
import { type Report, wholeMessage } from './report.ts';

/** One JSON document, whatever was found. What has no place has no `file`, `line` and `column`. */
export function jsonOf({ findings, inconclusive, unreadable, summary }: Report): string {
  const document = {
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
  return printedJson(document);
}
