import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { guards, rules } from '../../src/rules/index.ts';
import { SEVERITIES } from '../../src/rules/rule.ts';
import { everyFixture, FIXTURES, findingsIn, fixture, fixtureNames } from '../fixtures.ts';
import { answerTo, guardFixture } from '../guard-fixtures.ts';

const SOURCES = new URL('../../src/rules/', import.meta.url);
const ids = rules.map(({ meta }) => meta.id);

/** Files in src/rules that hold no rule. */
const NO_RULES = [
  'address.ts',
  'configured-ignores.ts',
  'evaluate.ts',
  'judge.ts',
  'one-cause.ts',
  'page.ts',
  'examples.ts',
  'exemption.ts',
  'index.ts',
  'remedy.ts',
  'rule.ts',
];

test('every rule is in the list, and its file is named by its id', () => {
  const files = readdirSync(SOURCES).filter((file) => file.endsWith('.ts') && !NO_RULES.includes(file));
  assert.deepEqual(files.sort(), ids.map((id) => `${id}.ts`).sort());
});

test('no two rules have one id', () => {
  assert.equal(new Set(ids).size, ids.length);
});

for (const { meta, judges } of rules) {
  test(`${meta.id} is exported under its id`, async () => {
    const exported: Record<string, unknown> = await import(new URL(`${meta.id}.ts`, SOURCES).href);
    const name = meta.id.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    assert.deepEqual(Object.keys(exported), [name]);
  });

  test(`${meta.id} says in English what it judges and what it allows, before its logic`, () => {
    const source = readFileSync(new URL(`${meta.id}.ts`, SOURCES), 'utf8');
    assert.match(source, /^\/\*\n \* [A-Z]/);
  });

  test(`${meta.id} has a remedy that ends with a full stop, and a saying and a reason that do not`, () => {
    assert.match(meta.remedy, /\.$/);
    assert.doesNotMatch(meta.says, /\.$/);
    assert.doesNotMatch(meta.reason, /\.$/);
  });

  test(`${meta.id} has a row of at most twelve words in the README's table`, () => {
    assert.ok(`${meta.id} ${meta.severity} ${meta.brief}`.split(' ').length <= 12, meta.brief);
    assert.doesNotMatch(meta.brief, /\.$/);
  });

  test(`${meta.id} gives a reason that names no object`, () => {
    assert.doesNotMatch(meta.reason, /["'`{}/]|\bweb\b|\bdata\b|\bshop\b/);
  });

  test(`${meta.id} has a severity and references that can be opened`, () => {
    assert.ok(SEVERITIES.includes(meta.severity));
    assert.ok(meta.references.length > 0);
    for (const reference of meta.references) assert.equal(new URL(reference).protocol, 'https:');
  });

  test(`${meta.id} has fixtures that pass and fixtures that fail`, () => {
    assert.ok(fixtureNames(meta.id, 'pass').length > 0);
    assert.ok(fixtureNames(meta.id, 'fail').length > 0);
  });

  test(`${meta.id} is never graver in a finding than in itself`, async () => {
    const foundIn = async (name: string) =>
      judges === 'guard'
        ? (await answerTo(guardFixture(meta.id, 'fail', name))).observation.findings
        : findingsIn(fixture(meta.id, 'fail', name)).map(({ rule, severity }) => ({ rule: rule.id, severity }));
    for (const name of fixtureNames(meta.id, 'fail')) {
      for (const { severity } of (await foundIn(name)).filter(({ rule }) => rule === meta.id)) {
        assert.ok(SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(meta.severity), name);
      }
    }
  });
}

test('no fixture is without a rule or a verdict', () => {
  const wanted = new Set(everyFixture(FIXTURES, rules).map(({ file }) => file));
  const files = readdirSync(FIXTURES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = files.map(({ parentPath, name }) => new URL(`file://${parentPath}/${name}`).href);
  assert.deepEqual(
    found.filter((href) => !wanted.has(href.slice(FIXTURES.href.length))),
    [],
  );
});

test('every fixture says in its first line what it shows, in one sentence of its own', () => {
  for (const { file } of everyFixture(FIXTURES, rules)) {
    const [first = ''] = readFileSync(new URL(file, FIXTURES), 'utf8').split('\n', 1);
    assert.match(first, /^# [A-Z].*\.$/, file);
  }
});

test('every fixture ends with the object that its rule judges', () => {
  const ofClaims: readonly string[] = rules.filter(({ judges }) => judges === 'claim').map(({ meta }) => meta.id);
  for (const { rule, verdict, name, file } of everyFixture()) {
    const kinds: readonly unknown[] = ofClaims.includes(rule) ? ['PersistentVolumeClaim'] : WORKLOAD_KINDS;
    const { kind } = fixture(rule, verdict, name).subject;
    assert.ok(kinds.includes(kind), `${file} ends with a ${String(kind)}`);
  }
});

test('every fixture of a guard tells of an object of the kind that it judges', () => {
  for (const { rule, verdict, name, file } of everyFixture(FIXTURES, guards)) {
    const { meta } = guards.find(({ meta: { id } }) => id === rule) ?? {};
    assert.equal(guardFixture(rule, verdict, name).act.target.kind, meta?.subject, file);
  }
});
