import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailOn } from '../../src/report/exit-code.ts';
import { junitOf } from '../../src/report/junit.ts';
import type { Report } from '../../src/report/report.ts';
import { findingOf, openOf, reportOf } from './reports.ts';

function junit(parts: Partial<Report>, failOn: FailOn = 'error'): string {
  return junitOf(reportOf(parts), failOn);
}

test('a file is a suite, an object in it a test, and a finding that fails a failure', () => {
  assert.equal(
    junit({ findings: [findingOf({})] }),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="rwo-guard" tests="1" failures="1" errors="0" skipped="0">
<testsuite name="web.yaml" tests="1" failures="1" errors="0" skipped="0">
<testcase name="Deployment shop/web" classname="web.yaml" file="web.yaml">
<failure type="error" message="rollout-deadlock: its next rollout can hang for ever; to fix it: spec.strategy: {type: Recreate}">web.yaml:12:3: error: rollout-deadlock: its next rollout can hang for ever; to fix it: spec.strategy: {type: Recreate}</failure>
</testcase>
</testsuite>
</testsuites>
`,
  );
});

test('a finding that does not fail is output of a test that passed', () => {
  const xml = junit({ findings: [findingOf({ severity: 'warning' })] });
  assert.match(xml, /tests="1" failures="0" errors="0" skipped="0"/);
  assert.match(xml, /<system-out>web\.yaml:12:3: warning: rollout-deadlock: .*<\/system-out>/);
});

test('what stayed open is a test that was skipped', () => {
  const xml = junit({ inconclusive: [openOf({})] });
  assert.match(xml, /tests="1" failures="0" errors="0" skipped="1"/);
  assert.match(xml, /<skipped message="claim-unknown: claim shop\/data is not in the input"\/>/);
});

test('what stayed open fails with --fail-on info, as the exit code does', () => {
  const xml = junit({ inconclusive: [openOf({})] }, 'info');
  assert.match(xml, /<failure type="inconclusive" message="claim-unknown: claim shop\/data is not in the input">/);
});

test('nothing fails with --fail-on never', () => {
  assert.match(junit({ findings: [findingOf({})] }, 'never'), /tests="1" failures="0"/);
});

test('what could not be read is a test with an error', () => {
  const xml = junit({ unreadable: [{ file: 'x.yaml', line: 3, because: 'bad indentation' }] });
  assert.match(xml, /tests="1" failures="0" errors="1" skipped="0"/);
  assert.match(xml, /name="line 3" .*\n<error type="unreadable" message="bad indentation">x\.yaml:3: bad indentation</);
});

test('everything about one object is in one test, which ends as its gravest finding does', () => {
  const xml = junit({
    findings: [findingOf({ severity: 'warning', message: 'it may wait' }), findingOf({ message: 'it waits for ever' })],
    inconclusive: [openOf({})],
  });
  assert.match(xml, /tests="1" failures="1" errors="0" skipped="0"/);
  assert.match(
    xml,
    /<failure type="error" message="rollout-deadlock: it waits for ever; .*">.*it may wait.*data is not in.*</,
  );
});

test('objects of one name in two files are two tests', () => {
  const other = { file: 'other.yaml', line: 1, column: 1 };
  const xml = junit({ findings: [findingOf({}), findingOf({ place: other })] });
  assert.match(xml, /<testsuites name="rwo-guard" tests="2" failures="2"/);
  assert.deepEqual(xml.match(/<testsuite name="[^"]*" tests="1"/g)?.length, 2);
});

test('nothing found is a report with one test, which passed', () => {
  const xml = junit({});
  assert.match(xml, /tests="1" failures="0" errors="0" skipped="0"/);
  assert.match(xml, /nothing found in 42 objects/);
});

test('a finding in a live cluster is a test of the suite "cluster"', () => {
  assert.match(junit({ findings: [findingOf({ place: undefined })] }), /<testsuite name="cluster" /);
});

test('what XML reserves is escaped, and what it forbids is replaced', () => {
  const xml = junit({ findings: [findingOf({ message: `</failure> & "it's" \n \u0000\u001b[1m \uFFFE \uD800 🐘` })] });
  const message = '&#60;/failure&#62; &#38; &#34;it&#39;s&#34; &#10; \uFFFD\uFFFD[1m \uFFFD \uFFFD 🐘';
  assert.ok(xml.includes(`message="rollout-deadlock: ${message}; to fix it: spec.strategy: {type: Recreate}"`), xml);
});
