import assert from 'node:assert/strict';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { folderFor, PROGRAM, start } from './program.ts';

delete process.env.NODE_COMPILE_CACHE; // which counts before the folders below

/** Asks for the version with nothing but these variables set. */
function version(t: TestContext, env: Readonly<Record<string, string>>) {
  const replaced = `process.env=${JSON.stringify({ ...env })}`;
  return start(t, ['--version'], ['--import', `data:text/javascript,${encodeURIComponent(replaced)}`, PROGRAM]).ended;
}

for (const [name, variable, path] of [
  ['the folder that is named for caches', 'XDG_CACHE_HOME', 'rwo-guard'],
  ['the home', 'HOME', '.cache/rwo-guard'],
] as const) {
  test(`what Node compiled is kept in ${name}`, async (t) => {
    const folder = await folderFor(t);
    assert.equal((await version(t, { [variable]: folder })).code, 0);
    assert.equal((await readdir(join(folder, path))).length, 1);
  });
}

test('where nothing can be kept nothing is said', async (t) => {
  const folder = await folderFor(t);
  const file = join(folder, 'file');
  await writeFile(file, '');
  await chmod(folder, 0o500);
  for (const HOME of ['', 'relative', folder, file, '/proc/1/home']) {
    const { code, stderr } = await version(t, { HOME });
    assert.deepEqual([code, stderr], [0, ''], HOME);
  }
});
