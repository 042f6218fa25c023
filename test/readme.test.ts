import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeRules } from '../src/commands/rules.ts';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

test('the README holds the table that rwo-guard rules --markdown prints', () => {
  const printed = describeRules({ markdown: true });
  assert.ok('text' in printed && readme.includes(`\n${printed.text}`));
});

test('every script that the README names is there', async () => {
  const { scripts } = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
  const named = [...readme.matchAll(/npm (?:run ([\w:]+)|(test)\b)/g)].map(([, run, test]) => run ?? test ?? '');
  assert.deepEqual(
    named.filter((name) => !(name in scripts)),
    [],
  );
});
