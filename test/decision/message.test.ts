import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decide } from '../../src/decision/decide.ts';
import { denialLine, oneLine, warningLine } from '../../src/decision/message.ts';
import { modeFrom } from '../../src/decision/mode.ts';
import { known } from '../../src/facts/fact.ts';
import type { Finding } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { findingsIn, fixture, fixtureNames } from '../fixtures.ts';

/** What a warning may have at most, where possible (`k8s.io/api/admission/v1/types.go`). */
const MOST_CHARACTERS = 120;

/** Rules whose findings quote names of drivers and classes, or say in full why nobody can tell. */
const QUOTING: ReadonlySet<string> = new Set(['access-mode-unsupported', 'claim-unknown']);
const MOST_CHARACTERS_QUOTING = 180;

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

test('no name, claim or reason brings a control character into a message', () => {
  const [rule] = rules;
  assert.ok(rule);
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, text, (name, detail, fix) => {
      const finding: Finding = {
        rule: rule.meta,
        judges: rule.judges,
        severity: 'error',
        name,
        detail,
        claims: [],
        fix,
      };
      const chosen = modeFrom(known(new Map([['rwo-guard.dev/mode', name]])), 'enforce');
      const judged = { found: [finding], existing: [{ ...finding }], notes: [detail], deniable: true };
      for (const dryRun of [false, true]) {
        const decision = decide(judged, chosen, { dryRun: 'warn', existing: 'warn' }, dryRun);
        const lines = [...decision.warnings, ...Object.values(decision.annotations)];
        if (decision.verdict === 'deny') lines.push(decision.message);
        for (const line of lines) assert.doesNotMatch(line, /\p{Cc}/u);
      }
    }),
  );
});

test('a claim that is missing is told of in at most 120 characters', () => {
  const missing = findingsIn(fixture('claim-unknown', 'fail', 'claim-missing'));
  assert.ok(missing.every((finding) => warningLine(finding).length <= MOST_CHARACTERS));
});

test('one line is left of several, with a space for each break', () => {
  assert.equal(oneLine('a\r\nb\tc\u0000d'), 'a b c d');
});

test('the same remedy is not given twice', () => {
  const [[, first] = [], [, second] = []] = findingsOf('rollout-deadlock');
  assert.ok(first && second);
  assert.equal(denialLine([first, second]).split(first.rule.remedy).length, 2);
});
