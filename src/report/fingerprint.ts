import { createHash } from 'node:crypto';
import type { ReportedFinding } from './report.ts';

/** Tells a finding from every other of the same input or cluster, and stays the same wherever its lines and its words move. */
export function fingerprint({ rule, resource, claims }: Pick<ReportedFinding, 'rule' | 'resource' | 'claims'>): string {
  // Without the API's version, which may change while the object stays.
  const { apiVersion, kind, namespace, name } = resource;
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const identity = [rule.id, group, kind, namespace ?? '', name, ...claims.toSorted()];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}

/** Two findings of one rule about one object and its claims, such as two modes of one claim, are told apart by count. */
export function distinct(findings: readonly ReportedFinding[]): readonly ReportedFinding[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const times = seen.get(finding.fingerprint) ?? 0;
    seen.set(finding.fingerprint, times + 1);
    return times === 0 ? finding : { ...finding, fingerprint: `${finding.fingerprint}-${times + 1}` };
  });
}
