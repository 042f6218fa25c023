import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readMore } from '../../src/rules/address.ts';
import { folderFor, start } from '../program.ts';

const URL_OF_PAGES = 'https://example.com/rules.md';

test('without an address in the build the program itself tells more', () => {
  assert.equal(
    readMore(['claim-shared', 'replicas-split']),
    'rwo-guard rules claim-shared; rwo-guard rules replicas-split',
  );
});

test('with RULES_URL in the build, findings name the page of the rule', async (t) => {
  const folder = await folderFor(t);
  const setting = `data:text/javascript,process.env.RULES_URL='${URL_OF_PAGES}'`;
  const build = join(import.meta.dirname, '../build.ts');
  const built = await start(t, [folder], ['--import', setting, build]).ended;
  assert.deepEqual(built, { code: 0, stdout: '', stderr: '' });
  const fixture = join(import.meta.dirname, '../fixtures/rollout-deadlock/fail/defaults-on-three-nodes.yaml');
  const lint = (format: string) =>
    start(t, ['lint', '--format', format, fixture], [join(folder, 'rwo-guard.js')]).ended.then(({ stdout }) => stdout);
  const [run] = JSON.parse(await lint('sarif')).runs;
  assert.equal(run.tool.driver.rules[0].helpUri, `${URL_OF_PAGES}#rollout-deadlock`);
  assert.match(await lint('text'), /^more of a rule: https:\/\/example\.com\/rules\.md#ID$/m);
});
