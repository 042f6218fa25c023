import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { WorkloadFacts } from '../../src/facts/workload-facts.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { isWorkload, readObject } from '../../src/objects/read-object.ts';
import { evaluateWorkload } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { savedBy } from '../../src/stories/saved-by.ts';
import { storyFor } from '../../src/stories/told.ts';
import { situationsUnplayed } from '../oracle/classes.ts';
import { planOf } from '../oracle/generate.ts';
import { KINDS, type Plan } from '../oracle/plan.ts';
import { storyBudget } from './told.ts';

/** Of random workloads: what was found by following pods can be told by following pods. */
const PLANS = 200;

test('there is a way to whatever the search has found, and something that saves what it has found nothing in', () => {
  let [stories, passes] = [0, 0];
  for (let index = 0; index < PLANS; index++) {
    const plan = planOf(91, index, { kinds: KINDS, without: new Set() });
    for (const facts of factsOf(plan)) {
      const foretold = forecast(facts);
      const found = evaluateWorkload(rules, facts.workload, foretold);
      if (foretold.overBudget) continue;
      for (const finding of found) {
        const { lines, isShown } = storyFor(finding, { facts, running: {} });
        assert.ok(isShown && lines.length >= 4 && lines.length <= 8, `${plan.id}: ${lines.join('\n')}`);
        assert.doesNotMatch(lines.join(), /undefined|another pod has/, plan.id);
        stories++;
      }
      if (found.length > 0) continue;
      const { savings } = savedBy(facts);
      assert.ok(savings.length > 0 && savings.length <= 3, plan.id);
      assert.doesNotMatch(savings.map(({ because }) => because).join(), /undefined|cannot be told/, plan.id);
      passes++;
    }
  }
  assert.ok(stories > 50 && passes > 50, `${stories} and ${passes}`);
});

function factsOf(plan: Plan): readonly WorkloadFacts[] {
  return situationsUnplayed(plan).map(({ objects, wanted }) => {
    const cluster = new ClusterState();
    for (const object of objects) putObject(cluster, JSON.parse(JSON.stringify(object)));
    const read = readObject(JSON.parse(JSON.stringify(wanted)));
    if (read === undefined || !isWorkload(read)) throw new Error(`${plan.id} wants no workload`);
    return gatherFacts(read.value, cluster, storageMatrix(), storyBudget()).facts;
  });
}
