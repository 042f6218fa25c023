import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget, OverBudgetError } from '../src/budget.ts';

test('all that is there may be spent, and no more, ever after', () => {
  const budget = new Budget(3);
  budget.spend(2);
  budget.spend();
  assert.deepEqual([budget.spent, budget.isSpent, budget.gaveUp], [3, false, false]);
  assert.throws(() => budget.spend(), { code: 'OVER_BUDGET' });
  assert.throws(() => budget.spend(0), OverBudgetError);
  assert.deepEqual([budget.isSpent, budget.gaveUp], [true, true]);
});

test('a share that ends leaves the rest to other questions, and is remembered', () => {
  const budget = new Budget(10);
  const share = budget.share(4);
  assert.equal(
    share.answer(() => {
      share.spend(5);
      return 'answered';
    }, 'open'),
    'open',
  );
  assert.deepEqual([budget.spent, budget.isSpent, budget.gaveUp], [5, false, true]);
  budget.spend(5);
});

test('what is spent of a share is spent of the whole', () => {
  const budget = new Budget(2);
  assert.throws(() => budget.share(10).spend(3), OverBudgetError);
  assert.equal(budget.isSpent, true);
});

test('only the end of the budget gives a question up', () => {
  const budget = new Budget(1);
  assert.equal(
    budget.answer(() => 1, 2),
    1,
  );
  assert.throws(() => budget.answer(() => assert.fail('a bug'), 2), /a bug/);
});
