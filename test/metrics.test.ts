import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from '../src/admission/admission.ts';
import { createMetrics, type MetricsSources } from '../src/metrics.ts';

const sources: MetricsSources = {
  version: '1.2.3',
  watches: () => [],
  certificate: () => ({ expires: undefined, caBundleInSync: undefined }),
};

const observation: Observation = {
  webhook: 'validate',
  uid: 'u1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  operation: 'CREATE',
  user: 'kim',
  dryRun: true,
  verdict: 'deny',
  findings: [{ rule: 'rollout-deadlock', severity: 'error' }],
  overBudget: false,
  mutations: ['recreate'],
  exempted: ['claim-shared'],
};

test('a review counts by webhook, kind, operation, verdict and dry run', async () => {
  const metrics = createMetrics(sources);
  metrics.observe(observation, 0.0004);
  const lines = await linesOf(metrics);
  assert.ok(
    lines.includes(
      'rwo_guard_admission_requests_total{webhook="validate",kind="Deployment",operation="CREATE",verdict="deny",dry_run="true"} 1',
    ),
  );
  assert.ok(lines.includes('rwo_guard_findings{rule="rollout-deadlock",severity="error"} 1'));
  assert.ok(lines.includes('rwo_guard_mutations_total{mutation="recreate"} 1'));
  assert.ok(lines.includes('rwo_guard_exemptions_total{webhook="validate",rule="claim-shared"} 1'));
  assert.ok(lines.includes('rwo_guard_admission_duration_seconds_sum 0.0004'));
});

test('a review that was more than could be judged counts', async () => {
  const metrics = createMetrics(sources);
  metrics.observe(observation, 0);
  metrics.observe({ ...observation, overBudget: true }, 0);
  assert.ok((await linesOf(metrics)).includes('rwo_guard_over_budget_total{webhook="validate"} 1'));
});

test('a kind that nobody asked about does not grow the registry', async () => {
  const metrics = createMetrics(sources);
  for (const kind of ['Pizza', 'Pasta']) metrics.observe({ ...observation, kind, operation: 'EAT' }, 0);
  const requests = (await linesOf(metrics)).filter((line) => line.startsWith('rwo_guard_admission_requests_total{'));
  assert.equal(requests.length, 1);
  assert.match(requests[0] ?? '', /kind="other",operation="other".* 2$/);
});

test('a scale counts under its own kind', async () => {
  const metrics = createMetrics(sources);
  metrics.observe({ ...observation, kind: 'Scale/scale' }, 0);
  assert.match((await linesOf(metrics)).join('\n'), /^rwo_guard_admission_requests_total\{.*kind="Scale".* 1$/m);
});

test('a request without an answer counts as one', async () => {
  const metrics = createMetrics(sources);
  metrics.unanswered('mutate');
  assert.match((await linesOf(metrics)).join('\n'), /webhook="mutate".*verdict="unanswered".* 1/);
});

test('look-ups count by source and result', async () => {
  const metrics = createMetrics(sources);
  metrics.lookedUp('live', 'found');
  assert.ok((await linesOf(metrics)).includes('rwo_guard_lookups_total{source="live",result="found"} 1'));
});

test('watches are read anew at every scrape', async () => {
  let objects = 3;
  const watches = () => [
    { list: 'nodes', synced: true, objects, restarts: 2, relists: 1, lastEventAgeSeconds: 1.5, stale: true },
    {
      list: 'namespaces',
      synced: false,
      objects: 0,
      restarts: 0,
      relists: 0,
      lastEventAgeSeconds: undefined,
      stale: false,
    },
  ];
  const metrics = createMetrics({ ...sources, watches });
  await linesOf(metrics);
  objects = 5;
  const lines = (await linesOf(metrics)).filter((line) => line.startsWith('rwo_guard_watch_'));
  assert.deepEqual(lines, [
    'rwo_guard_watch_synced{list="nodes"} 1',
    'rwo_guard_watch_synced{list="namespaces"} 0',
    'rwo_guard_watch_objects{list="nodes"} 5',
    'rwo_guard_watch_objects{list="namespaces"} 0',
    'rwo_guard_watch_last_event_age_seconds{list="nodes"} 1.5',
    'rwo_guard_watch_stale{list="nodes"} 1',
    'rwo_guard_watch_stale{list="namespaces"} 0',
    'rwo_guard_watch_restarts_total{list="nodes"} 2',
    'rwo_guard_watch_restarts_total{list="namespaces"} 0',
    'rwo_guard_watch_relists_total{list="nodes"} 1',
    'rwo_guard_watch_relists_total{list="namespaces"} 0',
  ]);
});

test('the certificate shows when it expires and whether the caBundle agrees', async () => {
  const certificate = () => ({ expires: new Date(1_800_000_000_000), caBundleInSync: false });
  const lines = await linesOf(createMetrics({ ...sources, certificate }));
  assert.ok(lines.includes('rwo_guard_certificate_expiry_timestamp_seconds 1800000000'));
  assert.ok(lines.includes('rwo_guard_ca_bundle_in_sync 0'));
});

test('a certificate that is not known has no sample, which would be one that expired in 1970', async () => {
  const samples = (await linesOf(createMetrics(sources))).filter((line) => !line.startsWith('#'));
  assert.deepEqual(
    samples.filter((line) => line.includes('certificate') || line.includes('ca_bundle')),
    [],
  );
});

test('the version is told', async () => {
  assert.ok((await linesOf(createMetrics(sources))).includes('rwo_guard_build_info{version="1.2.3"} 1'));
});

test('two registries in one process do not share their numbers', async () => {
  const [first, second] = [createMetrics(sources), createMetrics(sources)];
  first.unanswered('validate');
  assert.doesNotMatch((await linesOf(second)).join('\n'), /verdict="unanswered"/);
});

async function linesOf({ registry }: ReturnType<typeof createMetrics>): Promise<readonly string[]> {
  return (await registry.metrics()).split('\n');
}
