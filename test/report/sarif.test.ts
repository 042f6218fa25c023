import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import type { Report } from '../../src/report/report.ts';
import { sarifOf } from '../../src/report/sarif.ts';
import { rules } from '../../src/rules/index.ts';
import { findingOf, openOf, reportOf } from './reports.ts';

/** Of draft 04, which differs from what Ajv reads in nothing that this schema uses but the name of its own id. */
const {
  $schema: _draft,
  id: _id,
  ...schema
} = JSON.parse(readFileSync(new URL('sarif-2.1.0-rtm.5.json', import.meta.url), 'utf8'));
const isSarif = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);

/** The one run of the log, which is valid. */
function runOf(parts: Partial<Report>) {
  const options = { version: '1.2.3', rules: rules.map(({ meta }) => meta), workingDirectory: '/repo' };
  const log = JSON.parse(sarifOf(reportOf(parts), options));
  assert.equal(isSarif(log), true, JSON.stringify(isSarif.errors));
  const [run, ...more] = log.runs;
  assert.deepEqual(more, []);
  return run;
}

function uriOf(file: string): string {
  const [{ locations }] = runOf({ findings: [findingOf({ place: { file, line: 1, column: 1 } })] }).results;
  return locations[0].physicalLocation.artifactLocation.uri;
}

test('the schema refuses a result without a message', () => {
  assert.equal(isSarif({ version: '2.1.0', runs: [{ tool: { driver: { name: 'a' } }, results: [{}] }] }), false);
});

test('nothing found is a run with results, of which there are none', () => {
  assert.deepEqual(runOf({}).results, []);
});

test('every rule is described with all that code scanning requires of one', () => {
  const described = runOf({}).tool.driver.rules;
  assert.deepEqual(
    described.map(({ id }: { id: string }) => id),
    rules.map(({ meta }) => meta.id),
  );
  for (const { shortDescription, fullDescription, help } of described) {
    for (const { text } of [shortDescription, fullDescription]) assert.match(text, /^[A-Z].{9,1000}\.$/s);
    assert.ok(help.text.length > 0 && help.markdown.length > 0);
  }
});

test('a rule is described with its remedy, where to read on and its level', () => {
  const [{ name, help, helpUri, defaultConfiguration }] = runOf({}).tool.driver.rules;
  assert.equal(name, 'RolloutDeadlock');
  assert.match(help.text, /maxSurge: 0 and maxUnavailable: 1/);
  assert.match(help.markdown, /maxSurge: 0 and maxUnavailable: 1.*<https:\/\/kubernetes\.io/s);
  assert.match(helpUri, /^https:\/\/kubernetes\.io/);
  assert.deepEqual(defaultConfiguration, { level: 'error' });
});

test('a finding is a result at the field to change, with what is wrong and what helps', () => {
  const [result] = runOf({ findings: [findingOf({})] }).results;
  assert.equal(result.ruleId, 'rollout-deadlock');
  assert.equal(result.level, 'error');
  assert.equal(
    result.message.text,
    'Deployment shop/web: its next rollout can hang for ever. To fix it: spec.strategy: {type: Recreate}.',
  );
  const [{ physicalLocation, logicalLocations }] = result.locations;
  assert.deepEqual(physicalLocation, {
    artifactLocation: { uri: 'web.yaml' },
    region: { startLine: 12, startColumn: 3 },
  });
  assert.equal(logicalLocations[0].fullyQualifiedName, 'Deployment shop/web');
  assert.deepEqual(result.partialFingerprints, { 'rwoGuard/v1': '5f1d' });
});

test('a result points at its rule', () => {
  const { results, tool } = runOf({ inconclusive: [openOf({})] });
  assert.equal(tool.driver.rules[results[0].ruleIndex].id, 'claim-unknown');
});

test('info is the level note', () => {
  assert.equal(runOf({ findings: [findingOf({ severity: 'info' })] }).results[0].level, 'note');
});

test('the other side of a finding is a related location that the message links to', () => {
  const related = [{ file: 'claims.yaml', line: 7, column: 5, message: 'claim [data]' }];
  const [result] = runOf({ findings: [findingOf({ related })] }).results;
  assert.match(result.message.text, / See \[claim \\\[data\\\]\]\(1\)\.$/);
  assert.equal(result.relatedLocations[0].id, 1);
  assert.deepEqual(result.relatedLocations[0].physicalLocation, {
    artifactLocation: { uri: 'claims.yaml' },
    region: { startLine: 7, startColumn: 5 },
  });
});

test('what helm template rendered names the template that it came from', () => {
  const place = { file: 'all.yaml', line: 40, column: 1, template: 'shop/templates/web.yaml' };
  const [result] = runOf({ findings: [findingOf({ place })] }).results;
  assert.match(result.message.text, / Rendered from shop\/templates\/web\.yaml\.$/);
  assert.equal(result.locations[0].logicalLocations[1].name, 'shop/templates/web.yaml');
});

test('a story is the path of its result, each line at the object', () => {
  const story = ['web-old runs on [a].', 'So the rollout waits for ever.'];
  const { results } = runOf({ findings: [findingOf({ story })], inconclusive: [openOf({ story })] });
  for (const { codeFlows } of results) {
    const [{ locations }] = codeFlows[0].threadFlows;
    assert.equal(locations[0].location.message.text, String.raw`web-old runs on \[a\].`);
    assert.equal(locations[1].location.physicalLocation.artifactLocation.uri, 'web.yaml');
  }
});

test('what stayed open is a result that no check fails on', () => {
  const [{ kind, level, message }] = runOf({ inconclusive: [openOf({})] }).results;
  assert.deepEqual([kind, level], ['open', 'none']);
  assert.equal(message.text, 'Deployment shop/web: claim shop/data is not in the input.');
});

test('what could not be read is a notification, and the run no success', () => {
  const [{ executionSuccessful, toolExecutionNotifications }] = runOf({
    unreadable: [{ file: 'x.yaml', line: 3, because: 'bad indentation' }],
  }).invocations;
  assert.equal(executionSuccessful, false);
  const [{ level, message, locations }] = toolExecutionNotifications;
  assert.deepEqual([level, message.text], ['error', 'bad indentation']);
  assert.equal(locations[0].physicalLocation.region.startLine, 3);
});

test('notes are notifications of a run that succeeded', () => {
  const [{ executionSuccessful, toolExecutionNotifications }] = runOf({ notes: ['Chart.yaml is skipped'] }).invocations;
  assert.equal(executionSuccessful, true);
  assert.deepEqual(toolExecutionNotifications, [{ level: 'note', message: { text: 'Chart.yaml is skipped' } }]);
});

test('a finding in a live cluster has a logical location alone', () => {
  const [{ locations }] = runOf({ findings: [findingOf({ place: undefined })] }).results;
  assert.deepEqual(Object.keys(locations[0]), ['logicalLocations']);
});

for (const { file, uri } of [
  { file: './apps/web.yaml', uri: 'apps/web.yaml' },
  { file: 'apps\\web.yaml', uri: 'apps/web.yaml' },
  { file: '/repo/apps/web.yaml', uri: 'apps/web.yaml' },
  { file: '/repository/web.yaml', uri: 'file:///repository/web.yaml' },
  { file: '../web.yaml', uri: '../web.yaml' },
  { file: 'my apps/50%#ü:1.yaml', uri: 'my%20apps/50%25%23%C3%BC%3A1.yaml' },
]) {
  test(`the URI of ${file} is ${uri}`, () => {
    assert.equal(uriOf(file), uri);
  });
}
