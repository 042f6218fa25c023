import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import packageJson from '../package.json' with { type: 'json' };
import { builtPage } from './build-page.ts';
import { folderFor, start } from './program.ts';

test('the build is one folder with an executable and a package of its own, and loads nothing that a command does not need', async (t) => {
  const folder = await folderFor(t);
  const built = await start(t, [folder], [join(import.meta.dirname, 'build.ts')]).ended;
  assert.deepEqual(built, { code: 0, stdout: '', stderr: '' });
  const program = join(folder, 'rwo-guard.js');
  const text = await readFile(program, 'utf8');
  assert.match(text, /^#!\/usr\/bin\/env node\n/);
  assert.deepEqual(
    text.match(/(?:import|from) ?["'][^"']*/g),
    ["from'node:module"],
    'the Node version is checked first',
  );
  assert.equal((await stat(program)).mode & 0o111, 0o111);
  const schema = JSON.parse(await readFile(join(folder, 'lint-config.schema.json'), 'utf8'));
  assert.ok(new Ajv().validateSchema(schema));
  const itself = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  assert.deepEqual([itself.version, itself.dependencies], [packageJson.version, undefined]);
  const manifest = join(import.meta.dirname, 'fixtures/rollout-deadlock/fail/defaults-on-three-nodes.yaml');
  const report = await start(t, ['lint', '--format', 'html', '--fail-on', 'never', manifest], [program]).ended;
  assert.match(report.stdout, /^<!doctype html>.*defaults-on-three-nodes\.yaml/s);
  const listing = 'process.on("exit",()=>console.log(process.moduleLoadList.join()))';
  const { code, stdout } = await start(t, ['rules'], ['--import', `data:text/javascript,${listing}`, program]).ended;
  assert.equal(code, 0);
  assert.match(stdout, /rollout-deadlock.*NativeModule fs,/s);
  assert.doesNotMatch(stdout, /NativeModule (https?2?|tls|crypto)\b/);
});

test('the page of reports allows its own script alone, and holds the licences of what is in that', async () => {
  const page = await builtPage();
  assert.match(page, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
  assert.deepEqual(page.match(/\{\{\w+\}\}/g), ['{{title}}', '{{data}}']);
  const [, licences = ''] = page.split('</html>');
  for (const name of ['@observablehq/plot', 'd3-scale', 'preact']) assert.match(licences, new RegExp(`${name} \\d`));
  for (const words of ['Observable, Inc.', 'Mike Bostock', 'Jason Miller', 'Permission to use, copy, modify'])
    assert.ok(licences.includes(words), words);
});
