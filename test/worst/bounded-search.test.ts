import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { WorkloadFacts } from '../../src/facts/workload-facts.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { isObject, type JsonObject } from '../../src/objects/json.ts';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { BlocksRun } from './blocks-run.ts';
import { worstCluster } from './cluster.ts';
import { MOST_BLOCKS } from './counted-admission.ts';
import { KNOWN } from './known.ts';
import { recipes } from './recipes.ts';
import { type WorstInput, workloadInput } from './requests.ts';

/*
 * The search of what controllers may do costs a bounded amount of work, whatever anybody writes: the blocks of the program
 * that run are counted, whether the budget counts them or not.
 */

const blocks = new BlocksRun();
after(() => blocks.stop());

const state = new ClusterState();
for (const object of worstCluster({ nodes: 600, claims: 100 })) putObject(state, object);

for (const input of KNOWN) {
  test(`${input.name}: the search is bounded`, async () => {
    assert.deepEqual(await outOfBound(input), []);
  });
}

test('whatever lists a workload is put together from, the search is bounded', async () => {
  const isBounded = fc.asyncProperty(recipes, async (recipe) => {
    assert.deepEqual(await outOfBound(workloadInput('any', recipe)), []);
  });
  await fc.assert(isBounded, { seed: 11, numRuns: 20 });
});

async function outOfBound({ reviews }: WorstInput): Promise<readonly string[]> {
  const found: string[] = [];
  for (const way of ['create', 'update'] as const) {
    const budget = new Budget();
    const facts = factsOf(reviews[way], 'object', budget);
    const before = factsOf(reviews[way], 'oldObject', budget);
    if (facts === undefined) continue; // there is nothing to search where reading takes more than there is
    const run = await blocks.during(async () => void forecast(facts, { before }));
    if (run > MOST_BLOCKS) found.push(`${way}: ${run} blocks run`);
  }
  return found;
}

function factsOf(review: JsonObject | undefined, which: string, budget: Budget): WorkloadFacts | undefined {
  const object = isObject(review?.request) ? review.request[which] : undefined;
  const kind = WORKLOAD_KINDS.find((one) => isObject(object) && one === object.kind);
  if (kind === undefined || !isObject(object)) return undefined;
  return budget.answer(() => gatherFacts(workloadFrom(kind, object), state, storageMatrix(), budget).facts, undefined);
}
