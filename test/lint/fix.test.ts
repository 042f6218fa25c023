import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FIXTURES, fixtureNames } from '../fixtures.ts';
import { filesFor, lintIn } from './linted.ts';
import { claim, deployment, written } from './manifests.ts';

const BAD = `# kept\n${written(claim(), deployment())}`;

test('--diff shows what --fix would change and changes nothing', async (t) => {
  const folder = await filesFor(t, { 'a b/web.yaml': BAD });
  const { code, stdout } = await lintIn(folder, { diff: true });
  assert.equal(code, 1);
  assert.match(stdout, /^--- a\/a b\/web\.yaml.*\n\+\+\+ b\/a b\/web\.yaml.*\n@@ /);
  assert.match(stdout, /^\+ {2}strategy:\n\+ {4}type: Recreate\n/m);
  assert.equal(await readFile(join(folder, 'a b/web.yaml'), 'utf8'), BAD);
});

test('--diff of what is clean prints nothing', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': written(claim()) });
  const { code, stdout } = await lintIn(folder, { diff: true });
  assert.deepEqual([code, stdout], [0, '']);
});

test('what --fix fixed lints clean, and the rest of the file is as it was', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': BAD });
  const { code, stderr } = await lintIn(folder, { fix: true });
  assert.equal(code, 0);
  assert.match(stderr, /fixed .*a\.yaml/);
  const after = await readFile(join(folder, 'a.yaml'), 'utf8');
  assert.equal(after.replace(/ {2}strategy:\n {4}type: Recreate\n/, ''), BAD);
  assert.equal((await lintIn(folder)).printed.findings.length, 0);
});

test('several objects of one file are fixed at once', async (t) => {
  const two = [deployment(), deployment({}, { name: 'job', namespace: 'other' })];
  const folder = await filesFor(t, { 'a.yaml': written(claim(), ...two) });
  assert.equal((await lintIn(folder, { fix: true })).code, 0);
});

test('what is ignored is not fixed', async (t) => {
  const config = 'ignore: [{ rule: rollout-deadlock, reason: later }]\n';
  const folder = await filesFor(t, { 'a.yaml': BAD, '.rwo-guard.yaml': config });
  assert.equal((await lintIn(folder, { fix: true })).code, 0);
  assert.equal(await readFile(join(folder, 'a.yaml'), 'utf8'), BAD);
});

test('stdin cannot be fixed', async (t) => {
  const folder = await filesFor(t, {});
  for (const given of [{ fix: true }, { diff: true }]) {
    await assert.rejects(lintIn(folder, { paths: ['-'], stdin: BAD, ...given }), { code: 'USAGE' });
  }
});

for (const name of fixtureNames('rollout-deadlock', 'fail')) {
  test(`rollout-deadlock, fail: ${name} is clean once it is fixed`, async (t) => {
    const text = readFileSync(new URL(`rollout-deadlock/fail/${name}.yaml`, FIXTURES), 'utf8');
    const folder = await filesFor(t, { 'a.yaml': text });
    const { code, printed } = await lintIn(folder, { fix: true });
    assert.equal(code, 0, JSON.stringify(printed));
  });
}
