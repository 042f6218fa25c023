import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoryBudget } from '../../src/stories/story-budget.ts';
import { claim, deployment } from '../lint/manifests.ts';
import { factsOf, nodes } from './told.ts';

const [ONE, TWO] = [nodes({ 'node-a': {} }), nodes({ 'node-a': {}, 'node-b': {} })];

test('no story may look at more states than are for one, and all of a run together at no more than there are', () => {
  const stories = new StoryBudget(50_000);
  const given: number[] = [];
  for (let story = 0; story < 6; story++) {
    stories.spend(
      () => factsOf(claim(), ...TWO, deployment()),
      (_, budget) => {
        given.push(budget.left);
        budget.left = 0;
      },
    );
  }
  assert.ok(
    given.every((left) => left <= 20_000) && given.reduce((sum, left) => sum + left, 0) <= 50_000,
    given.join(),
  );
  assert.equal(given.at(-1), 0);
});

test('what is not used is there for the next one', () => {
  const stories = new StoryBudget(100);
  const facts = factsOf(claim(), ...ONE, deployment());
  const left = [1, 2, 3].map(() =>
    stories.spend(
      () => facts,
      (_, budget) => budget.left,
    ),
  );
  assert.ok(
    left.every((states) => states > 80),
    left.join(),
  );
});

test('where nodes and what is asked of each are too many, no state is left', () => {
  const names = Array.from({ length: 300 }, (_, index) => [`node-${index}`, {}] as const);
  const matchExpressions = Array.from({ length: 5_000 }, (_, key) => ({ key: `k${key}`, operator: 'DoesNotExist' }));
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  };
  const facts = factsOf(claim(), ...nodes(Object.fromEntries(names)), deployment({}, {}, { affinity }));
  assert.equal(
    new StoryBudget().spend(
      () => facts,
      (_, budget) => budget.left,
    ),
    0,
  );
});
