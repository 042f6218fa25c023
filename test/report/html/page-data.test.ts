import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageData } from '../../../src/report/html/page-data.ts';
import { tallies } from '../../../src/report/html/tallies.ts';
import type { ReportedFinding, Standing } from '../../../src/report/report.ts';
import { claimShared } from '../../../src/rules/claim-shared.ts';
import type { Picture } from '../../../src/stories/picture.ts';
import { findingOf, openOf, reportOf } from '../reports.ts';
import { sampleScan } from './sample.ts';

function dataOf(...findings: readonly ReportedFinding[]) {
  return pageData(reportOf({ findings }), '1.2.3');
}

function at(state: Standing['state']): Standing {
  return { state, because: '' };
}

test('what has struck comes first, and then the gravest, those before others that were lucky', () => {
  const { findings } = dataOf(
    findingOf({ fingerprint: 'info', severity: 'info' }),
    findingOf({ fingerprint: 'lucky', now: at('lucky') }),
    findingOf({ fingerprint: 'warning', severity: 'warning' }),
    findingOf({ fingerprint: 'armed', now: at('armed') }),
    findingOf({ fingerprint: 'struck', severity: 'warning', now: at('struck') }),
  );
  assert.deepEqual(
    findings.shown.map(({ fingerprint }) => fingerprint),
    ['struck', 'armed', 'lucky', 'warning', 'info'],
  );
});

test('a picture is there once, after the last line that it is right for', () => {
  const picture = (state: 'pending' | 'ready'): Picture => ({
    ...{ nodes: [], volumes: [], pods: [{ name: 'web', state, volumes: [] }] },
  });
  const pictures = [picture('pending'), picture('pending'), picture('ready'), picture('ready')];
  const [finding] = dataOf(findingOf({ story: ['a', 'b', 'c', 'd'], pictures })).findings.shown;
  assert.deepEqual(
    finding?.pictures?.map(({ after, picture: { pods } }) => [after, pods[0]?.state]),
    [
      [1, 'pending'],
      [3, 'ready'],
    ],
  );
});

for (const { name, parts, command } of [
  { name: 'a Deployment of a live cluster', parts: {}, command: /^kubectl patch .* -n shop deployment\/web$/ },
  { name: 'one that is written in a file', parts: { place: { file: 'a.yaml', line: 1, column: 1 } }, command: /^$/ },
  { name: 'what something else helps', parts: { fix: 'spec.replicas: 1' }, command: /^$/ },
  {
    name: 'a name that a shell would read as more',
    parts: { resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web; ls' } },
    command: /^$/,
  },
]) {
  test(`the command that repairs ${name} is ${command}`, () => {
    const [finding] = dataOf(findingOf({ place: undefined, ...parts })).findings.shown;
    assert.match(finding?.command ?? '', command);
  });
}

test('of many that are related some are shown, and all are counted', () => {
  const place = { file: 'web.yaml', line: 1, column: 1 };
  const related = Array.from({ length: 50 }, (_, index) => ({ ...place, message: `workload ${index}` }));
  const [finding] = dataOf(findingOf({ related })).findings.shown;
  assert.deepEqual([finding?.related.all, finding?.related.shown.length], [50, 20]);
});

test('every rule that something names is there with what to do', () => {
  const report = reportOf({ findings: [findingOf({ also: [claimShared.meta] })], inconclusive: [openOf({})] });
  const { rules } = pageData(report, '1.2.3');
  assert.deepEqual(Object.keys(rules).toSorted(), ['claim-shared', 'claim-unknown', 'rollout-deadlock']);
  assert.equal(rules['claim-shared']?.remedy, claimShared.meta.remedy);
});

test('namespaces come with the most that would be denied first', () => {
  const { namespaces } = pageData(sampleScan(300), '1.2.3');
  const denied = namespaces.shown.map((namespace) => namespace.denied);
  assert.deepEqual(
    denied,
    denied.toSorted((a, b) => b - a),
  );
});

const IN = (namespace: string, parts: Partial<ReportedFinding> = {}) =>
  findingOf({ resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' }, ...parts });

test('findings are counted by namespace, by rule and by what would help, the most first and by how grave they are', () => {
  const findings = [IN('mail'), IN('shop'), IN('shop', { severity: 'warning' }), IN('shop', { now: at('struck') })];
  const [byNamespace, byRule, byRemedy, ...others] = tallies(findings, undefined);
  assert.deepEqual(byNamespace?.rows, [
    {
      name: 'shop',
      parts: [
        { weight: 'struck', count: 1 },
        { weight: 'error', count: 1 },
        { weight: 'warning', count: 1 },
      ],
      sum: 3,
    },
    { name: 'mail', parts: [{ weight: 'error', count: 1 }], sum: 1 },
  ]);
  assert.deepEqual(
    [byRule?.rows[0]?.name, byRemedy?.rows[0]?.name],
    ['rollout-deadlock', 'spec.strategy: {type: Recreate}'],
  );
  assert.deepEqual(others, []);
});

test('of many rows the longest are shown, and of the others how many they are and what they come to', () => {
  const findings = Array.from({ length: 12 }, (_, index) => IN(`ns-${index + 10}`));
  const [byNamespace] = tallies([...findings, IN('zoo'), IN('zoo')], undefined);
  assert.deepEqual([byNamespace?.rows[0]?.name, byNamespace?.rows.length], ['zoo', 8]);
  assert.deepEqual(byNamespace?.others, { rows: 5, sum: 5 });
});

test('of a cluster the claims are counted by driver, also where nothing is found', () => {
  assert.deepEqual(
    tallies([], sampleScan(0)).map(({ title, rows }) => [title, rows[0]?.name, rows[0]?.sum]),
    [['Claims by driver', 'ebs.csi.aws.com', 412]],
  );
});
