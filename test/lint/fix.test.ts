import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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

test('a strategy that another Deployment takes over is fixed once that one has its own', async (t) => {
  const shared = { strategy: { type: 'RollingUpdate' } };
  const one = written(claim(), deployment(shared, { name: 'one' }), deployment(shared, { name: 'two' }));
  const text = one.replace(/strategy:\n +type: RollingUpdate/, 'strategy: &s {type: RollingUpdate}');
  const folder = await filesFor(t, {
    'a.yaml': `kind: List\napiVersion: v1\nitems:\n${listed(text.replace(/strategy:\n +type: RollingUpdate/, 'strategy: *s'))}`,
  });
  await lintIn(folder, { fix: true });
  const { printed } = await lintIn(folder);
  assert.deepEqual(
    printed.findings.filter(({ rule }) => rule === 'rollout-deadlock'),
    [],
  );
});

/** Documents as the items of a List, which share anchors. */
function listed(documents: string): string {
  return documents
    .split(/^---\n/m)
    .map((document) => `- ${document.trimEnd().replaceAll('\n', '\n  ')}\n`)
    .join('');
}

const notToShare = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
};

for (const [because, manifests] of Object.entries({
  'its replicas may not all share a node; run one replica, or use ReadWriteMany': [
    claim(),
    deployment({ replicas: 3 }, {}, notToShare),
  ],
  'its claim takes one pod; run one replica': [
    claim({ accessModes: ['ReadWriteOncePod'] }),
    deployment({ replicas: 3 }),
  ],
})) {
  test(`a Deployment stays as it is and is told, because ${because}`, async (t) => {
    const folder = await filesFor(t, { 'a.yaml': written(...manifests) });
    for (const given of [{ fix: true }, { diff: true }]) {
      const { code, stderr } = await lintIn(folder, given);
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`a\\.yaml:\\d+: not fixed, because ${because}\n$`));
    }
  });
}

for (const option of ['fix', 'diff']) {
  test(`--${option} tells what server-side apply needs before it takes Recreate`, async (t) => {
    const folder = await filesFor(t, { 'a.yaml': BAD });
    const { stderr } = await lintIn(folder, { [option]: true });
    assert.match(
      stderr,
      /server-side apply .* kubectl patch --type merge -p '.*"rollingUpdate":null.*' deployment\/web\n$/,
    );
  });
}

test('--fix prints a kubectl patch for each namespace, and one without for what names none', async (t) => {
  const web = (namespace?: string) => written(claim({}, { namespace }), deployment({}, { namespace }));
  const folder = await filesFor(t, {
    'a.yaml': `${web('shop')}---\n${web('shop').replaceAll('name: web', 'name: job')}`,
    'b.yaml': web('stage'),
    'c/c.yaml': web()
      .replaceAll('name: web', 'name: plain')
      .replaceAll(/(claimName| {2}name): data/g, '$1: logs'),
  });
  const { stderr } = await lintIn(folder, { fix: true });
  const patch = `kubectl patch --type merge -p '{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}'`;
  const lines = [...stderr.matchAll(/kubectl patch.*$/gm)].map(([line]) => line);
  assert.deepEqual(lines, [
    `${patch} -n shop deployment/web deployment/job`,
    `${patch} -n stage deployment/web`,
    `${patch} deployment/plain`,
  ]);
});

test('a name that a shell would take for more is quoted in the line that is made to be run', async (t) => {
  const named = deployment({}, { name: "web;'$(id)" });
  const { stderr } = await lintIn(await filesFor(t, { 'a.yaml': written(claim(), named) }), { fix: true });
  assert.match(stderr, / 'deployment\/web;'\\''\$\(id\)'\n$/);
});

test('--diff outside of the working directory shows the whole path, and can be applied', async (t) => {
  const folder = await filesFor(t, { 'in/kept.yaml': '', 'out/web.yaml': BAD });
  const { stdout } = await lintIn(join(folder, 'in'), { paths: ['../out'], diff: true });
  assert.ok(stdout.startsWith(`--- a${folder}/out/web.yaml\n+++ b${folder}/out/web.yaml\n`), stdout);
  execFileSync('git', ['apply'], { cwd: '/', input: stdout });
  assert.match(await readFile(join(folder, 'out/web.yaml'), 'utf8'), /type: Recreate/);
});

for (const option of ['fix', 'diff']) {
  test(`--${option} tells what pod affinity does to files, and what it does not do`, async (t) => {
    const folder = await filesFor(t, { 'a.yaml': written(claim(), deployment({ replicas: 2 })) });
    const { stderr } = await lintIn(folder, { [option]: true });
    assert.match(
      stderr,
      /deployment\/web: old and new pod will write the same files at once .*: scale to 1 first, or Recreate once\n$/,
    );
    assert.doesNotMatch(stderr, /kubectl patch/);
  });
}

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
