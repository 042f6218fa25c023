import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { examples } from '../../src/rules/examples.ts';
import { manifestRules } from '../../src/rules/index.ts';
import { folderFor, start } from '../program.ts';

/** The ids of the rules that `rwo-guard lint` names when it judges the example. */
async function named(t: TestContext, example: string): Promise<readonly string[]> {
  const file = join(await folderFor(t), 'example.yaml');
  await writeFile(file, example);
  const { findings, inconclusive } = JSON.parse((await start(t, ['lint', '--format', 'json', file]).ended).stdout);
  return [...findings, ...inconclusive].map(({ rule }: { rule: string }) => rule);
}

test('every rule of manifests has an example, and every example such a rule', () => {
  assert.deepEqual(
    Object.keys(examples),
    manifestRules.map(({ meta }) => meta.id),
  );
});

for (const [id, { bad, good }] of Object.entries(examples)) {
  test(`lint names ${id} alone for its bad example, and nothing for its good one`, async (t) => {
    assert.deepEqual(await Promise.all([named(t, bad), named(t, good)]), [[id], []]);
  });

  test(`the examples for ${id} fit into a terminal`, () => {
    for (const line of `${bad}${good}`.split('\n')) assert.ok(line.length <= 80, line);
    for (const example of [bad, good]) assert.ok(example.split('\n').length <= 24, example);
  });
}
