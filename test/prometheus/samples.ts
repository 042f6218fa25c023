import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observation } from '../../src/admission/admission.ts';
import type { AuditState } from '../../src/audit/audit.ts';
import { createMetrics } from '../../src/metrics.ts';

/** One line of an exposition: what Prometheus makes a series of. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What the API server and kube-state-metrics export, as far as it is about rwo-guard. */
export const EXPORTED_ELSEWHERE = samplesIn(readFileSync(join(import.meta.dirname, 'exported-elsewhere.txt'), 'utf8'));

/** What a scrape adds by the ServiceMonitor. */
export const TARGET_LABELS = ['job', 'instance', 'namespace', 'pod', 'container', 'endpoint', 'service'];

/** All that `src/metrics.ts` exposes in OpenMetrics, after everything that it counts has happened. */
export async function ownSamples(): Promise<readonly Sample[]> {
  const metrics = createMetrics({
    version: '1.2.3',
    watches: () => [
      { list: 'nodes', synced: true, objects: 3, restarts: 1, relists: 1, lastEventAgeSeconds: 1, stale: false },
    ],
    certificate: () => ({ expires: new Date(0), caBundleInSync: true }),
    namespaces: ['shop'],
    audit: () => AUDITED,
  });
  metrics.observe(DENIED, 0.001);
  metrics.unanswered('validate');
  metrics.lookedUp('live', 'found');
  metrics.cutOff('connection');
  return samplesIn((await metrics.exposition('application/openmetrics-text')).text);
}

const AUDITED: AuditState = {
  leads: true,
  pending: 0,
  lastJudgedAt: 1,
  findings: [
    { namespace: 'shop', rule: 'rollout-deadlock', severity: 'error', count: 1 },
    { namespace: 'shop', rule: 'rollout-transient', severity: 'warning', count: 1 },
  ],
  errors: new Map([['events', 1]]),
};

const DENIED: Observation = {
  webhook: 'validate',
  uid: 'u1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  operation: 'CREATE',
  user: 'kim',
  dryRun: false,
  verdict: 'deny',
  mode: 'enforce',
  findings: [{ rule: 'rollout-deadlock', severity: 'error', outcome: 'denied' }],
  overBudget: true,
  mutations: ['recreate'],
  exempted: [{ name: 'web', rules: ['claim-shared'], reason: 'we know' }],
};

export function samplesIn(exposition: string): readonly Sample[] {
  const lines = exposition.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)];
    return { name, labels: Object.fromEntries(pairs.map(([, label, value]) => [label, value])) };
  });
}
