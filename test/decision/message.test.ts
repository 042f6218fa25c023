import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warningLine } from '../../src/decision/message.ts';
import { podTemplateFrom } from '../../src/objects/pod-template.ts';
import type { Finding } from '../../src/rules/evaluate.ts';
import { guards, manifestRules } from '../../src/rules/index.ts';
import { claimsInWords } from '../../src/rules/rule.ts';
import { findingsIn, fixture, fixtureNames } from '../fixtures.ts';
import { answerTo, guardFixture } from '../guard-fixtures.ts';
import { findingOf } from './findings.ts';

/** What a warning may have at most, where possible (`k8s.io/api/admission/v1/types.go`). */
const MOST_CHARACTERS = 120;

/** Rules whose findings quote names of drivers and classes, or say in full why nobody can tell. */
const QUOTING: ReadonlySet<string> = new Set(['access-mode-unsupported', 'claim-unknown']);
const MOST_CHARACTERS_QUOTING = 165;

function findingsOf(id: string): readonly (readonly [string, Finding])[] {
  return fixtureNames(id, 'fail').flatMap((name) =>
    findingsIn(fixture(id, 'fail', name))
      .filter(({ rule }) => rule.id === id)
      .map((finding) => [name, finding] as const),
  );
}

for (const { meta } of manifestRules) {
  const most = QUOTING.has(meta.id) ? MOST_CHARACTERS_QUOTING : MOST_CHARACTERS;

  test(`a warning of ${meta.id} is one line of at most ${most} characters that names object and rule`, () => {
    for (const [name, finding] of findingsOf(meta.id)) {
      const line = warningLine(finding);
      assert.doesNotMatch(line, /\p{Cc}/u);
      assert.ok(line.startsWith(`${finding.object.kind} ${finding.object.namespace}/${finding.object.name}: `), name);
      assert.ok(line.endsWith(`[${meta.id}]`), name);
      if (finding.claims.length < 2) assert.ok(line.length <= most, `${name}: ${line.length}: ${line}`);
    }
  });
}

for (const { meta } of guards) {
  test(`a warning of ${meta.id} is one line of at most ${MOST_CHARACTERS} characters that names object and rule`, async () => {
    for (const name of fixtureNames(meta.id, 'fail')) {
      const { response } = (await answerTo(guardFixture(meta.id, 'fail', name), 'warn')).review;
      const [line = '', ...others] = response.warnings ?? [];
      assert.deepEqual(others, []);
      assert.match(line, new RegExp(`^${meta.subject} [a-z0-9/-]+: .* \\[${meta.id}\\]$`));
      assert.ok(line.length <= MOST_CHARACTERS, `${name}: ${line.length}: ${line}`);
    }
  });
}

test('a claim that is missing is told of in at most 120 characters', () => {
  const missing = findingsIn(fixture('claim-unknown', 'fail', 'claim-missing'));
  assert.ok(missing.every((finding) => warningLine(finding).length <= MOST_CHARACTERS));
});

test('of many claims three are named', () => {
  const template = podTemplateFrom({});
  assert.equal(claimsInWords(['a', 'b', 'c'], { template }), 'claims a, b, c');
  assert.equal(claimsInWords(['a', 'b', 'c', 'd', 'e'], { template }), 'claims a, b, c and 2 more');
});

test('a warning keeps the id of its rule, however long names are', () => {
  const object = { kind: 'Deployment', namespace: 'shop', name: 'n'.repeat(3_000_000) };
  const line = warningLine(findingOf({ object, detail: 'd'.repeat(3_000_000) }));
  assert.ok(line.length < 1_000);
  assert.ok(line.endsWith('[rollout-deadlock]'));
});

test('a warning of what a claim completes names the workload that mounts it', () => {
  const arrived = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };
  assert.match(warningLine(findingOf({ arrived })), /^Deployment shop\/web mounts this claim: next rollout can hang /);
});
