import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '../../src/doctor/diagnosis.ts';
import { known } from '../../src/objects/fact.ts';
import { configurations, entry, installation, namespace } from './installations.ts';

test('where nothing is wrong there are no problems and no warnings', () => {
  const { counts } = diagnose(installation());
  assert.deepEqual([counts.problem, counts.warning], [0, 0]);
});

test('without a server, neither certificates nor calls nor rights are told of', () => {
  const { groups } = diagnose(installation({ deployment: known(undefined) }));
  assert.deepEqual(
    groups.map(({ title }) => title),
    ['server', 'namespaces'],
  );
});

test('ten thousand namespaces with the same mistake do not make ten thousand lines', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => namespace(`n${n}`, { 'rwo-guard.dev/mode': 'of' }));
  const { groups } = diagnose(installation({ namespaces: known(many) }));
  const checks = groups.flatMap((group) => group.checks);
  assert.ok(checks.length < 60, String(checks.length));
  assert.ok(checks.some(({ says }) => says === '9980 more mistyped labels: run it again after these'));
  assert.ok(checks.every(({ says }) => says.length < 300));
});

test('entries of somebody else in our configuration are no entries of ours', () => {
  const added = configurations([
    entry('enforce.rwo-guard.dev'),
    entry('advise.rwo-guard.dev'),
    entry('other.example.com'),
  ]);
  assert.equal(diagnose(installation({ configurations: added })).counts.problem, 0);
});
