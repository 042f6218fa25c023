import assert from 'node:assert/strict';
import { test } from 'node:test';
import { denialLine, MOST_OF_DENIAL, warningLine } from '../../src/decision/message.ts';
import { bytesIn, oneLine } from '../../src/decision/shown.ts';
import { podTemplateFrom } from '../../src/objects/pod-template.ts';
import type { Finding } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { claimsInWords } from '../../src/rules/rule.ts';
import { findingsIn, fixture, fixtureNames } from '../fixtures.ts';

/** What a warning may have at most, where possible (`k8s.io/api/admission/v1/types.go`). */
const MOST_CHARACTERS = 120;

/** Rules whose findings quote names of drivers and classes, or say in full why nobody can tell. */
const QUOTING: ReadonlySet<string> = new Set(['access-mode-unsupported', 'claim-unknown']);
const MOST_CHARACTERS_QUOTING = 180;

const LONG = {
  severity: 'error',
  name: 'n'.repeat(253),
  detail: 'd'.repeat(700),
  claims: [],
  fix: 'mend it',
} as const;

function findingsOf(id: string): readonly (readonly [string, Finding])[] {
  return fixtureNames(id, 'fail').flatMap((name) =>
    findingsIn(fixture(id, 'fail', name))
      .filter(({ rule }) => rule.id === id)
      .map((finding) => [name, finding] as const),
  );
}

for (const { meta } of rules) {
  const most = QUOTING.has(meta.id) ? MOST_CHARACTERS_QUOTING : MOST_CHARACTERS;

  test(`a warning of ${meta.id} is one line of at most ${most} characters that names object and rule`, () => {
    for (const [name, finding] of findingsOf(meta.id)) {
      const line = warningLine(finding);
      assert.doesNotMatch(line, /\p{Cc}/u);
      assert.ok(line.startsWith(`${finding.name}: ${meta.reason} (`), name);
      assert.ok(line.endsWith(`[${meta.id}]`), name);
      if (finding.claims.length < 2) assert.ok(line.length <= most, `${name}: ${line.length}: ${line}`);
    }
  });

  test(`a denial by ${meta.id} is one line that names object and rule, and says what to do`, () => {
    for (const [, finding] of findingsOf(meta.id)) {
      const line = denialLine([finding]);
      assert.doesNotMatch(line, /\p{Cc}/u);
      assert.ok(line.includes(`${finding.name}: ${meta.reason}`));
      assert.ok(line.includes(`[${meta.id}]`));
      assert.ok(line.endsWith(oneLine(meta.remedy)));
    }
  });
}

test('a claim that is missing is told of in at most 120 characters', () => {
  const missing = findingsIn(fixture('claim-unknown', 'fail', 'claim-missing'));
  assert.ok(missing.every((finding) => warningLine(finding).length <= MOST_CHARACTERS));
});

test('the same remedy is not given twice', () => {
  const [[, first] = [], [, second] = []] = findingsOf('rollout-deadlock');
  assert.ok(first && second);
  assert.equal(denialLine([first, second]).split(first.rule.remedy).length, 2);
});

test('of many claims three are named', () => {
  const template = podTemplateFrom({});
  assert.equal(claimsInWords(['a', 'b', 'c'], { template }), 'claims a, b, c');
  assert.equal(claimsInWords(['a', 'b', 'c', 'd', 'e'], { template }), 'claims a, b, c and 2 more');
});

test('a warning keeps the id of its rule, however long names are', () => {
  const [[, first] = []] = findingsOf('rollout-deadlock');
  assert.ok(first);
  const line = warningLine({ ...first, name: 'n'.repeat(3_000_000), detail: 'd'.repeat(3_000_000) });
  assert.ok(line.length < 1_000);
  assert.ok(line.endsWith('[rollout-deadlock]'));
});

test('a denial for every reason that there is has at most 2 KB, the remedy of the first one, and where to read the others', () => {
  const errors = rules.filter(({ meta }) => meta.severity === 'error');
  for (const most of errors) {
    const denied = [most, ...errors].map(({ meta, judges }) => ({ ...LONG, rule: meta, judges }));
    const [first, ...others] = denied;
    assert.ok(first);
    const line = denialLine([first, ...others, ...others, ...others]);
    assert.ok(bytesIn(line) <= MOST_OF_DENIAL);
    assert.ok(line.includes(most.meta.remedy));
    const told = errors.filter(({ meta }) => !line.includes(meta.remedy)).map(({ meta }) => meta.id);
    if (told.length > 0) assert.match(line, new RegExp(`More: rwo-guard rules ${told.join(', ')}$`));
  }
});
