import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { CountedAdmission, MOST_BLOCKS } from './counted-admission.ts';
import { KNOWN } from './known.ts';
import { recipes } from './recipes.ts';
import { type WorstInput, workloadInput } from './requests.ts';

/*
 * What anybody may write costs a bounded amount of work. Nothing here is timed: the blocks of the program that run are
 * counted, whether the budget of the request counts them or not. `npm run bench -- worst` tells the time, and
 * `node test/worst/search.ts` looks for worse requests, and for longer.
 */

const admission = new CountedAdmission();

after(() => admission.stop());

for (const input of KNOWN) {
  test(`${input.name}: the work is bounded`, async () => {
    assert.deepEqual(await outOfBound(input), []);
  });
}

test('whatever lists a workload is put together from, the work is bounded', async () => {
  const isBounded = fc.asyncProperty(recipes, async (recipe) => {
    assert.deepEqual(await outOfBound(workloadInput('any', recipe)), []);
  });
  await fc.assert(isBounded, { seed: 7, numRuns: 20 }); // the same in every run: search.ts goes on from there
});

async function outOfBound(input: WorstInput): Promise<readonly string[]> {
  const counts = await admission.counted(input);
  return counts.flatMap(({ way, blocks }) => (blocks <= MOST_BLOCKS ? [] : [`${way}: ${blocks} blocks run`]));
}
