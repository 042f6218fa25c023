import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observation } from '../../src/admission/admission.ts';
import { createMetrics } from '../../src/metrics.ts';

/** One line of an exposition: what Prometheus makes a series of. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Exported once the audit is there, with the labels that rules and dashboard go by. `ownSamples` has to make them then. */
export const COMING_WITH_THE_AUDIT = samplesIn(`
rwo_guard_audit_findings{rule="rollout-deadlock",severity="error"} 1
rwo_guard_audit_findings{rule="rollout-transient",severity="warning"} 1
rwo_guard_audit_namespace_findings{resource_namespace="shop",rule="rollout-deadlock",severity="error"} 1
rwo_guard_audit_leader 1
rwo_guard_audit_pending_objects 0
rwo_guard_audit_last_judged_timestamp_seconds 1.8e+09
rwo_guard_audit_errors_total{what="events"} 1
`);

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
  });
  metrics.observe(DENIED, 0.001);
  metrics.unanswered('validate');
  metrics.lookedUp('live', 'found');
  metrics.cutOff('connection');
  return samplesIn((await metrics.exposition('application/openmetrics-text')).text);
}

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
