import type { Report, ReportedFinding, ReportedOpen } from '../../src/report/report.ts';
import { claimUnknown } from '../../src/rules/claim-unknown.ts';
import { rolloutDeadlock } from '../../src/rules/rollout-deadlock.ts';

const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };

/** A report of 42 objects that holds what is named and nothing else. */
export function reportOf(parts: Partial<Report>): Report {
  const summary = { objects: 42, workloads: 7, error: 0, warning: 0, info: 0, ignored: 0, inconclusive: 0 };
  return { findings: [], inconclusive: [], unreadable: [], ignored: [], notes: [], summary, ...parts };
}

/** A rollout of Deployment shop/web that can hang for ever, but for what is named. */
export function findingOf(parts: Partial<ReportedFinding>): ReportedFinding {
  return {
    rule: rolloutDeadlock.meta,
    severity: 'error',
    resource: WEB,
    claims: ['data'],
    also: [],
    message: 'its next rollout can hang for ever',
    assumed: [],
    fix: 'spec.strategy: {type: Recreate}',
    place: { file: 'web.yaml', line: 12, column: 3 },
    related: [],
    fingerprint: '5f1d',
    ...parts,
  };
}

/** Deployment shop/web, of which nothing can be said for sure. */
export function openOf(parts: Partial<ReportedOpen>): ReportedOpen {
  return {
    rule: claimUnknown.meta,
    resource: WEB,
    because: 'claim shop/data is not in the input',
    place: { file: 'web.yaml', line: 1, column: 1 },
    ...parts,
  };
}
