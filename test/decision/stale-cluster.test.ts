import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, type Judged } from '../../src/decision/decide.ts';
import { aged } from '../../src/decision/stale-cluster.ts';
import type { Finding } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import type { Severity } from '../../src/rules/rule.ts';
import { findingOf } from './findings.ts';

function judged(...severities: readonly Severity[]): Judged {
  const found = severities.map((severity): Finding => {
    const rule = rules.find(({ meta }) => meta.severity === severity)?.meta;
    assert.ok(rule);
    return { ...findingOf({ severity, rule }), detail: 'claim data' };
  });
  return { found, existing: found, exemptions: [], notes: [], deniable: true };
}

test('a current state changes nothing', () => {
  const current = judged('error');
  assert.equal(aged(current, undefined), current);
});

test('by a stale state nothing is graver than a warning, and each finding says how old it is', () => {
  const { found, existing } = aged(judged('error', 'warning', 'info'), 130);
  for (const those of [found, existing]) {
    assert.deepEqual(
      those.map(({ severity, detail }) => `${severity}: ${detail}`),
      [
        'warning: claim data, going by a state 2 min old',
        'warning: claim data, going by a state 2 min old',
        'info: claim data, going by a state 2 min old',
      ],
    );
  }
});

test('an age of less than a minute is told in seconds', () => {
  assert.equal(aged(judged('error'), 12.7).found[0]?.detail, 'claim data, going by a state 12 s old');
});

for (const existing of ['warn', 'deny'] as const) {
  test(`by a stale state nothing is denied where existing problems ${existing}`, () => {
    const policy = { dryRun: 'same', existing, exemptions: 'allow', overBudget: 'warn' } as const;
    const decision = decide(aged(judged('error'), 600), { mode: 'enforce' }, policy, false);
    assert.equal(decision.verdict, 'allow');
    assert.match(decision.warnings[0] ?? '', /^Deployment shop\/web: .*going by a state 10 min old/);
  });
}
