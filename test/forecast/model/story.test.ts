import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../../src/facts/budget.ts';
import { gatherFacts } from '../../../src/facts/gather.ts';
import { storageMatrix } from '../../../src/facts/storage-backend.ts';
import { workloadFrom } from '../../../src/facts/workload-from.ts';
import { Questions } from '../../../src/forecast/model/questions.ts';
import { fixture } from '../../fixtures.ts';

test('a way to where it ends is told step by step', () => {
  assert.deepEqual(storyOf('rollout-deadlock', 'fail', 'defaults-on-three-nodes'), [
    'an old pod of Deployment web is ready on node-a',
    'data is attached to node-a',
    'a new pod of Deployment web is created',
    'a new pod of Deployment web is bound to node-b',
  ]);
});

function storyOf(...[rule, verdict, name]: Parameters<typeof fixture>): readonly string[] {
  const { state, subject } = fixture(rule, verdict, name);
  const { facts } = gatherFacts(workloadFrom('Deployment', subject), state, storageMatrix(), new Budget());
  const how = { most: facts.workload.replicas, takesAtOnce: true };
  const questions = new Questions(facts, {}, { assumption: 'harmless', ...how });
  const [rollout] = questions.rollouts();
  return rollout === undefined ? [] : questions.story(rollout, 0);
}
