import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { filesFor, type Given, lintIn } from './linted.ts';
import { claim, deployment, written } from './manifests.ts';

const BAD = written(claim(), deployment());

/** The files in which something is found, of those that are named here, in a repository. */
async function foundIn(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  { repository = true, ...given }: Given & { readonly repository?: boolean } = {},
): Promise<readonly string[]> {
  const folder = await filesFor(t, files);
  if (repository) await mkdir(join(folder, '.git'));
  const { printed } = await lintIn(folder, given);
  return printed.findings.map(({ file }) => file.slice(folder.length + 1));
}

test('what .gitignore names is left out, and with --no-gitignore it is read', async (t) => {
  const files = { '.gitignore': 'build/\n*.out.yaml\n', 'a.yaml': BAD, 'build/b.yaml': BAD, 'c.out.yaml': BAD };
  assert.deepEqual(await foundIn(t, files), ['a.yaml']);
  assert.deepEqual(await foundIn(t, files, { gitignore: false }), ['a.yaml', 'build/b.yaml', 'c.out.yaml']);
});

test('a .gitignore in a folder counts below it, and more than those above', async (t) => {
  const files = {
    '.gitignore': '*.out.yaml\n/only-here.yaml\n',
    'a/.gitignore': '!kept.out.yaml\nmine.yaml\n',
    'a/kept.out.yaml': BAD,
    'a/gone.out.yaml': BAD,
    'a/mine.yaml': BAD,
    'a/only-here.yaml': BAD,
    'mine.yaml': BAD,
    'only-here.yaml': BAD,
  };
  assert.deepEqual(await foundIn(t, files), ['a/kept.out.yaml', 'a/only-here.yaml', 'mine.yaml']);
});

test('the files above a folder that is named count up to the root of the repository', async (t) => {
  const files = { '.gitignore': 'secret.yaml\n', 'a/b/web.yaml': BAD, 'a/b/secret.yaml': BAD };
  assert.deepEqual(await foundIn(t, files, { paths: ['a/b'] }), ['a/b/web.yaml']);
  assert.deepEqual(await foundIn(t, files, { paths: ['a/b'], repository: false }), ['a/b/secret.yaml', 'a/b/web.yaml']);
});

test('what is named is read, whatever .gitignore says of it', async (t) => {
  const files = { '.gitignore': 'build/\n', 'build/b.yaml': BAD };
  assert.deepEqual(await foundIn(t, files, { paths: ['build'] }), ['build/b.yaml']);
  assert.deepEqual(await foundIn(t, files, { paths: ['build/b.yaml'] }), ['build/b.yaml']);
});

test('names are told apart by case, as git does', async (t) => {
  assert.deepEqual(await foundIn(t, { '.gitignore': 'WEB.yaml\n', 'web.yaml': BAD }), ['web.yaml']);
});

test('a .gitignore that is a folder ignores nothing', async (t) => {
  assert.deepEqual(await foundIn(t, { '.gitignore/a.txt': '', 'web.yaml': BAD }), ['web.yaml']);
});
