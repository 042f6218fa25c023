import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelSelectorAt, matchesRequirement, matchesSelector, type Requirement } from '../../src/objects/selector.ts';

/** Value of the label (`undefined`: it is absent) against each operator; as apimachinery's Requirement.Matches. */
const cases: readonly [Requirement['operator'], readonly string[], string | undefined, boolean][] = [
  ['In', ['a', 'b'], 'a', true],
  ['In', ['a', 'b'], 'c', false],
  ['In', ['a'], undefined, false],
  ['In', [''], '', true],
  ['In', [''], undefined, false],
  ['NotIn', ['a'], 'b', true],
  ['NotIn', ['a'], 'a', false],
  ['NotIn', ['a'], undefined, true],
  ['Exists', [], '', true],
  ['Exists', [], undefined, false],
  ['DoesNotExist', [], undefined, true],
  ['DoesNotExist', [], '', false],
  ['Gt', ['9'], '10', true],
  ['Gt', ['10'], '10', false],
  ['Gt', ['10'], undefined, false],
  ['Gt', ['10'], 'many', false],
  ['Gt', ['10'], '11.5', false],
  ['Gt', ['-10'], '-9', true],
  ['Gt', ['9007199254740992'], '9007199254740993', true],
  ['Gt', ['10'], '99999999999999999999', false],
  ['Lt', ['10'], '9', true],
  ['Lt', ['10'], '+9', true],
  ['Lt', ['10'], '10', false],
  ['Lt', ['10'], undefined, false],
];

for (const [operator, values, value, matches] of cases) {
  const label = value === undefined ? 'an absent label' : `"${value}"`;
  test(`${operator} [${values}] ${matches ? 'matches' : 'does not match'} ${label}`, () => {
    assert.equal(matchesRequirement({ key: 'key', operator, values }, value), matches);
  });
}

test('a selector that is absent selects nothing, and an empty one everything', () => {
  assert.equal(labelSelectorAt({}, 'selector'), undefined);
  assert.deepEqual(labelSelectorAt({ selector: {} }, 'selector'), []);
  assert.equal(matchesSelector([], new Map()), true);
});

test('labels and expressions of a selector all have to hold', () => {
  const selector = labelSelectorAt(
    { selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] } },
    'selector',
  );
  assert.ok(selector);
  assert.equal(
    matchesSelector(
      selector,
      new Map([
        ['app', 'web'],
        ['tier', 'front'],
      ]),
    ),
    true,
  );
  assert.equal(matchesSelector(selector, new Map([['app', 'web']])), false);
  assert.equal(matchesSelector(selector, new Map([['tier', 'front']])), false);
});
