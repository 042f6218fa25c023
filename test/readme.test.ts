import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeRules } from '../src/commands/rules.ts';
import { FIXTURES } from './fixtures.ts';
import { start } from './program.ts';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

test('the README holds the table that rwo-guard rules --markdown prints', () => {
  const printed = describeRules({ markdown: true });
  assert.ok('text' in printed && readme.includes(`\n${printed.text}`));
});

test('the README shows what rwo-guard explain prints', async (t) => {
  const files = ['fail/defaults-on-three-nodes.yaml', 'pass/recreate.yaml'];
  const folder = `${FIXTURES.pathname}rollout-deadlock/`;
  const { stdout } = await start(t, ['explain', ...files.map((file) => `${folder}${file}`)]).ended;
  assert.ok(readme.includes(`explain ${files.join(' ')}\n${stdout.replaceAll(folder, '')}\`\`\``), stdout);
});

test('every script that the README names is there', async () => {
  const { scripts } = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
  const named = [...readme.matchAll(/npm (?:run ([\w:]+)|(test)\b)/g)].map(([, run, test]) => run ?? test ?? '');
  assert.deepEqual(
    named.filter((name) => !(name in scripts)),
    [],
  );
});
