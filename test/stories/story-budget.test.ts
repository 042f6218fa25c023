import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Budget } from '../../src/budget.ts';
import type { WorkloadFacts } from '../../src/facts/workload-facts.ts';
import { StoryBudget } from '../../src/stories/story-budget.ts';
import { claim, deployment } from '../lint/manifests.ts';
import { factsOf, nodes } from './told.ts';

const facts = factsOf(claim(), ...nodes({ 'node-a': {} }), deployment());
const factsWith = (budget: Budget): WorkloadFacts => ({ ...facts, budget });

/** What each of so many stories may spend, where each spends all of it. */
function givenTo(stories: StoryBudget, count: number): readonly number[] {
  return Array.from({ length: count }, () =>
    stories.spend(factsWith, ({ budget }) => {
      const { left } = budget;
      if (left > 0) budget.spend(left);
      return left;
    }),
  );
}

test('no story may take more than is for one, and all of a run together no more than there is', () => {
  const given = givenTo(new StoryBudget(500_000), 6);
  assert.deepEqual(given, [200_000, 200_000, 100_000, 0, 0, 0]);
});

test('what is not used is there for the next one', () => {
  const stories = new StoryBudget(50_000);
  const left = [1, 2, 3].map(() => stories.spend(factsWith, ({ budget }) => budget.left));
  assert.deepEqual(left, [50_000, 50_000, 50_000]);
});

test('what it takes to read the facts is counted', () => {
  const stories = new StoryBudget(50_000);
  const reading = (budget: Budget): WorkloadFacts => {
    budget.spend(10_000);
    return factsWith(budget);
  };
  const left = [1, 2].map(() => stories.spend(reading, ({ budget }) => budget.left));
  assert.deepEqual(left, [40_000, 0]);
});
