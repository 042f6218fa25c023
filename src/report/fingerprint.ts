import { createHash } from 'node:crypto';
import type { ReportedFinding } from './report.ts';

/** Tells a finding from every other of the same input, and stays the same wherever its lines and its words move. */
export function fingerprint({ rule, resource, claims }: Pick<ReportedFinding, 'rule' | 'resource' | 'claims'>): string {
  // Without the API's version, which may change while the object stays.
  const { apiVersion, kind, namespace, name } = resource;
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const identity = [rule.id, group, kind, namespace ?? '', name, ...claims.toSorted()];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}
