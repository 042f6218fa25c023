import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Observation } from '../src/admission/admission.ts';
import { createMetrics, type MetricsSources } from '../src/metrics.ts';

const sources: MetricsSources = {
  version: '1.2.3',
  watches: () => [],
  certificate: () => ({ expires: undefined, caBundleInSync: undefined }),
  namespaces: [],
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
  mode: 'enforce',
  findings: [{ rule: 'rollout-deadlock', severity: 'error', outcome: 'denied' }],
  overBudget: false,
  mutations: ['recreate'],
  exempted: [{ name: 'web', rules: ['claim-shared'], reason: 'we know' }],
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
  const labels = 'rule="rollout-deadlock",severity="error",outcome="denied",mode="enforce"';
  assert.ok(lines.includes(`rwo_guard_findings_total{${labels}} 1`));
  assert.ok(lines.includes('rwo_guard_mutations_total{mutation="recreate"} 1'));
  assert.ok(lines.includes('rwo_guard_exemptions_total{webhook="validate",rule="claim-shared"} 1'));
  assert.ok(lines.includes('rwo_guard_admission_duration_seconds_sum 0.0004'));
});

test('a review that was more than could be judged counts, from a zero that is there before', async () => {
  const metrics = createMetrics(sources);
  assert.ok((await linesOf(metrics)).includes('rwo_guard_over_budget_total{webhook="validate"} 0'));
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

describe('the namespaces of findings', () => {
  async function labelsOf(patterns: readonly string[], namespaces: readonly string[]): Promise<ReadonlySet<string>> {
    const metrics = createMetrics({ ...sources, namespaces: patterns });
    for (const namespace of namespaces) metrics.observe({ ...observation, namespace }, 0);
    const found = (await linesOf(metrics)).filter((line) => line.startsWith('rwo_guard_findings_total{'));
    return new Set(found.map((line) => /resource_namespace="(.*?)"/.exec(line)?.[1] ?? 'no label'));
  }

  test('are no label where no setting says so', async () => {
    assert.deepEqual(await labelsOf([], ['shop', 'blog']), new Set(['no label']));
  });

  test('are a label where a setting names them, and all others have one together', async () => {
    const labels = await labelsOf(['shop', 'team-*'], ['shop', 'team-a', 'blog', 'shop-2']);
    assert.deepEqual(labels, new Set(['shop', 'team-a', '_other']));
  });

  test('are a hundred labels at most, and none is a text of somebody’s choice', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `team-${n}`);
    const labels = await labelsOf(['*'], ['a"} 1', 'A', 'x'.repeat(64), ...many, 'team-0']);
    assert.equal(labels.size, 101);
    assert.ok(labels.has('_other') && labels.has('team-0') && !labels.has('A'));
  });
});

test('what a user can write is no label', async () => {
  const metrics = createMetrics(sources);
  const written = 'written-by-a-user';
  const exempted = [{ name: written, rules: ['claim-shared'], reason: written }];
  const texts = { uid: written, kind: written, namespace: written, name: written, operation: written, user: written };
  metrics.observe({ ...observation, ...texts, exempted }, 0);
  assert.doesNotMatch((await linesOf(metrics)).join('\n'), new RegExp(written));
});

describe('the format of a scrape', () => {
  const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
  const PLAIN = 'text/plain; version=0.0.4; charset=utf-8';
  for (const [accept, type] of [
    ['', PLAIN],
    ['*/*', PLAIN],
    ['text/plain;version=0.0.4', PLAIN],
    ['application/openmetrics-text', OPEN],
    [
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      OPEN,
    ],
    ['application/openmetrics-text; version=1.0.0; q=0.3, text/plain; q=0.5', PLAIN],
    ['application/openmetrics-text;version=0.0.1,text/plain;q=0.5', PLAIN],
    ['application/openmetrics-text;q=0', PLAIN],
    ['application/openmetrics-text;q=much', PLAIN],
  ]) {
    test(`is ${type?.split(';')[0]} for ${accept || 'nothing'}`, async () => {
      assert.equal((await createMetrics(sources).exposition(accept ?? '')).contentType, type);
    });
  }

  test('in OpenMetrics counters are named without _total, there are no empty lines, and it ends', async () => {
    const metrics = createMetrics(sources);
    metrics.observe(observation, 0);
    const { text } = await metrics.exposition('application/openmetrics-text');
    assert.match(text, /^# TYPE rwo_guard_findings counter\nrwo_guard_findings_total\{.*\} 1$/m);
    assert.match(text, /^# TYPE rwo_guard_build_info gauge$/m);
    assert.doesNotMatch(text, /^$(?!\n?$)|_total (counter|gauge)$/m);
    assert.match(text, /\n# EOF\n$/);
    assert.match((await linesOf(metrics)).join('\n'), /^# TYPE rwo_guard_findings_total counter$/m);
  });
});

test('two registries in one process do not share their numbers', async () => {
  const [first, second] = [createMetrics(sources), createMetrics(sources)];
  first.unanswered('validate');
  assert.doesNotMatch((await linesOf(second)).join('\n'), /verdict="unanswered"/);
});

async function linesOf({ exposition }: ReturnType<typeof createMetrics>): Promise<readonly string[]> {
  return (await exposition('')).text.split('\n');
}
