import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { labelsOfResult, misnamed } from './promql.ts';
import { EXPORTED_ELSEWHERE, ownSamples, TARGET_LABELS } from './samples.ts';
import { ALERT_TESTS, ALERTS } from './shipped.ts';

const README = readFileSync(join(import.meta.dirname, '../../manifests/README.md'), 'utf8');

const samples = [...(await ownSamples()), ...EXPORTED_ELSEWHERE];

test('no metric of ours is said to be exported elsewhere', () => {
  assert.doesNotMatch(EXPORTED_ELSEWHERE.map(({ name }) => name).join('\n'), /^(rwo_guard|nodejs|process)_/m);
});

for (const { alert, expr, annotations, labels } of ALERTS) {
  test(`${alert} goes by what is exported`, () => {
    assert.deepEqual(misnamed(expr, samples, TARGET_LABELS), []);
  });

  test(`${alert} says what is wrong, how bad it is, and where to read on`, () => {
    assert.match(labels.severity ?? '', /^(critical|warning|info)$/);
    assert.deepEqual(Object.keys(annotations).sort(), ['description', 'runbook_url', 'summary']);
    const named = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    const result = labelsOfResult(expr, []);
    assert.deepEqual(
      named.filter((label) => !result.includes(label)),
      [],
    );
    const [page, anchor] = annotations.runbook_url?.split('#') ?? [];
    assert.equal(page, 'manifests/README.md');
    assert.match(README.toLowerCase(), new RegExp(`^#+ ${anchor}$`, 'm'));
  });
}

test('the runbook has a row for every alert with its severity, in the order of the file', () => {
  const rows = [...README.matchAll(/^\| `(RwoGuard\w+)` \| (\w+) \|/gm)].map(([, ...cells]) => cells);
  assert.deepEqual(
    rows,
    ALERTS.map(({ alert, labels }) => [alert, labels.severity]),
  );
});

test('every alert has a test in which it fires and one in which it does not', () => {
  const files: readonly AlertTests[] = ALERT_TESTS.map((file) => parse(readFileSync(file, 'utf8')));
  const tested = files.flatMap(({ tests }) => tests).flatMap(({ alert_rule_test }) => alert_rule_test);
  const fires = tested.filter(({ exp_alerts = [] }) => exp_alerts.length > 0).map(({ alertname }) => alertname);
  const rests = tested.filter(({ exp_alerts = [] }) => exp_alerts.length === 0).map(({ alertname }) => alertname);
  const names = ALERTS.map(({ alert }) => alert).sort();
  assert.deepEqual([...new Set(fires)].sort(), names);
  assert.deepEqual([...new Set(rests)].sort(), names);
});

interface AlertTests {
  readonly tests: readonly { readonly alert_rule_test: readonly AlertTest[] }[];
}

interface AlertTest {
  readonly alertname: string;
  readonly exp_alerts?: readonly unknown[];
}

for (const { name, expression, says } of [
  { name: 'a metric that nobody exports', expression: 'rwo_guard_findings', says: /rwo_guard_findings with .*nothing/ },
  {
    name: 'a value that a label never has',
    expression: 'rwo_guard_findings_total{outcome="refused"}',
    says: /refused/,
  },
  { name: 'a label that a metric has not', expression: 'rwo_guard_watch_stale{kind="Node"}', says: /kind="Node"/ },
  { name: 'a label to sum by', expression: 'sum by (kind) (rwo_guard_watch_stale)', says: /the label kind/ },
  { name: 'a label to match on', expression: 'rwo_guard_build_info and on (list) up', says: /the label list/ },
  { name: 'what is no expression', expression: 'sum by (list (rwo_guard_watch_stale)', says: /parsed/ },
]) {
  test(`${name} is found`, () => {
    assert.match(misnamed(expression, samples, TARGET_LABELS).join('\n'), says);
  });
}
