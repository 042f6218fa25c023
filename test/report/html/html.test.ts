import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlOf } from '../../../src/report/html/html.ts';
import type { PageData } from '../../../src/report/html/page-data.ts';
import type { Report } from '../../../src/report/report.ts';
import type { ScanReport } from '../../../src/report/scan-report.ts';
import { findingOf, reportOf } from '../reports.ts';
import { sampleScan } from './sample.ts';

const PAGE = '<title>{{title}}</title><script type="application/json">{{data}}</script>';

function written(report: Report | ScanReport): string {
  return htmlOf(report, { page: PAGE, version: '1.2.3' });
}

function dataIn(html: string): PageData {
  return JSON.parse(/<script type="application\/json">(.*?)<\/script>/s.exec(html)?.[1] ?? '');
}

for (const name of ['</script><img src=x>', '<!-- <script>', '{{title}} {{data}}', '$& $1', '"\\']) {
  test(`a name ${name} stays a name`, () => {
    const scan = sampleScan(0);
    const html = written({
      ...scan,
      cluster: { ...scan.cluster, name },
      findings: [findingOf({ resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name } })],
    });
    const { title, findings } = dataIn(html);
    assert.deepEqual([title, findings.shown[0]?.name], [name, name]);
    assert.deepEqual(html.match(/<[/!]?\w+/g), ['<title', '</title', '<script', '</script']);
  });
}

test('of a text is written what can be seen', () => {
  const data = dataIn(written(reportOf({ findings: [findingOf({ message: 'a\u202eb\u2028c\u0007d' })] })));
  assert.equal(data.findings.shown[0]?.message, 'a b c d');
});

test('the report of manifests has no cluster, and names files', () => {
  const report = reportOf({
    findings: [findingOf({})],
    ignored: [{ name: 'web', reason: 'moves soon' }],
    unreadable: [{ file: 'b.yaml', line: 3, because: 'no YAML' }],
  });
  const { title, cluster, findings, exempt, unreadable } = dataIn(written(report));
  assert.deepEqual([title, cluster, findings.shown[0]?.at], ['Manifests', undefined, 'web.yaml:12:3']);
  assert.deepEqual(exempt.shown, [{ object: 'web', rules: [], reason: 'moves soon' }]);
  assert.deepEqual(unreadable.shown, [{ at: 'b.yaml:3', because: 'no YAML' }]);
});

test('5,000 findings are in the file with their stories', () => {
  const html = written(sampleScan(5000));
  const { findings } = dataIn(html);
  assert.deepEqual([findings.all, findings.shown.length], [5000, 5000]);
  assert.ok(findings.shown.every(({ isCut }) => isCut === undefined));
  assert.ok(html.length < 16_000_000, `${html.length} letters`);
});

test('what is too much loses its stories first, and then is counted', () => {
  const story = Array.from({ length: 8 }, () => 'x'.repeat(500));
  const many = (count: number, message: string) =>
    Array.from({ length: count }, (_, index) => findingOf({ story, message, fingerprint: String(index) }));
  const long = dataIn(written(reportOf({ findings: many(6000, 'hangs') }))).findings;
  assert.deepEqual([long.all, long.shown.length], [6000, 6000]);
  const cut = long.shown.findIndex(({ isCut }) => isCut);
  assert.ok(
    cut > 1000 && long.shown.slice(cut).every(({ isCut, story: told }) => isCut && told === undefined),
    `${cut}`,
  );
  const html = written(reportOf({ findings: many(40_000, 'x'.repeat(1000)) }));
  const { findings } = dataIn(html);
  assert.ok(findings.all === 40_000 && findings.shown.length < 40_000);
  assert.ok(html.length < 17_000_000, `${html.length} letters`);
});
