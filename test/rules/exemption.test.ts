import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overBudgetFindings } from '../../src/rules/evaluate.ts';
import { applyExemption } from '../../src/rules/exemption.ts';
import { rules } from '../../src/rules/index.ts';

const found = overBudgetFindings(rules, { kind: 'Deployment', namespace: 'shop', name: 'web' });

function exempted(annotation: string, today?: string) {
  const annotations = new Map([['rwo-guard.dev/ignore', annotation]]);
  return applyExemption(found, { name: 'web', annotations }, rules, { policy: 'allow', today });
}

test('an exemption counts up to the day that it names, and with it', () => {
  const { kept, exemptions } = exempted('claim-unknown until=2027-03-31: moved next quarter', '2027-03-31');
  assert.deepEqual(kept, []);
  assert.deepEqual(exemptions, [
    { name: 'web', rules: ['claim-unknown'], reason: 'moved next quarter', until: '2027-03-31' },
  ]);
});

test('after that day it does not count, and says so', () => {
  const { kept, problems } = exempted('claim-unknown until=2027-03-31: moved next quarter', '2027-04-01');
  assert.equal(kept.length, 1);
  assert.deepEqual(problems, ['rwo-guard.dev/ignore does not count: it ended on 2027-03-31']);
});

test('where nobody tells the day, no exemption is over', () => {
  assert.deepEqual(exempted('claim-unknown until=2027-03-31: later').kept, []);
});

for (const day of ['soon', '2027-02-30x', '2027-13-01', '27-03-31', '']) {
  test(`an end of "${day}" is no day, and nothing is exempt`, () => {
    const { kept, problems } = exempted(`claim-unknown until=${day}: later`, '2026-01-01');
    assert.equal(kept.length, 1);
    assert.match(problems[0] ?? '', /does not count: write until=2027-03-31, not until=/);
  });
}

test('a reason may speak of an end, which is no end', () => {
  const { exemptions } = exempted('claim-unknown: we keep it until=2020-01-01: see the wiki', '2026-01-01');
  assert.deepEqual(exemptions[0]?.until, undefined);
  assert.equal(exemptions.length, 1);
});
