import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesFor, type Given, lintIn, lintText } from './linted.ts';
import { claim, deployment, written } from './manifests.ts';

const BAD = written(claim(), deployment());

async function lintWith(t: Parameters<typeof filesFor>[0], config: string, given: Given = {}) {
  return lintIn(await filesFor(t, { 'a.yaml': BAD, '.rwo-guard.yaml': config }), given);
}

test('an annotation with a reason ignores its rule', async (t) => {
  const annotations = { 'rwo-guard.dev/ignore': 'rollout-deadlock: scaled to zero first' };
  const { code, printed } = await lintText(t, written(claim(), deployment({}, { annotations })));
  assert.equal(code, 0);
  assert.deepEqual([printed.findings.length, printed.summary.ignored], [0, 1]);
});

test('an annotation without a reason does not count, and is told', async (t) => {
  const annotations = { 'rwo-guard.dev/ignore': 'rollout-deadlock' };
  const { code, stderr } = await lintText(t, written(claim(), deployment({}, { annotations })));
  assert.equal(code, 1);
  assert.match(stderr, /a\.yaml:9: rwo-guard\.dev\/ignore does not count: write "<rule>: <reason>"/);
});

for (const entry of [
  'rule: rollout-deadlock',
  'rule: rollout-deadlock, kind: Deployment, namespace: default, name: web',
  'rule: rollout-deadlock, name: w*',
  'rule: rollout-deadlock, expires: 2026-11-01',
]) {
  test(`the configuration ignores by { ${entry} }`, async (t) => {
    const { code, printed, stderr } = await lintWith(t, `ignore: [{ ${entry}, reason: later }]\n`);
    assert.equal(code, 0);
    assert.deepEqual([printed.summary.error, printed.summary.ignored, stderr], [0, 1, '']);
  });
}

for (const [entry, says] of [
  ['rule: rollout-deadlock, name: job', /matched nothing/],
  ['rule: rollout-blocked', /matched nothing/],
  ['rule: rollout-deadlock, expires: 2026-10-31', /expired on 2026-10-31/],
] as const) {
  test(`an ignore by { ${entry} } is told: ${says.source}`, async (t) => {
    const { code, stderr } = await lintWith(t, `ignore: [{ ${entry}, reason: later }]\n`);
    assert.equal(code, 1);
    assert.match(stderr, says);
  });
}

test('an ignore covers what stayed open too', async (t) => {
  const config = 'ignore: [{ rule: claim-unknown, reason: made by Terraform }]\n';
  const folder = await filesFor(t, { 'a.yaml': written(deployment()), '.rwo-guard.yaml': config });
  assert.equal((await lintIn(folder, { failOn: 'info' })).code, 0);
});

for (const [config, says] of [
  ['ignore: [{ rule: rollout-deadlock }]', /ignore\[0\]\.reason is missing/],
  ['ignore: [{ rule: rolling-update, reason: later }]', /names rule "rolling-update"; the rules are rollout-deadlock,/],
  ['ignore: [{ rule: rollout-deadlock, reason: later, expires: soon }]', /must be the last day on which it counts/],
  ['ignores: []', /ignores is not known/],
  ['nodes: 0', /nodes must be a number of nodes/],
  ['[', /\.rwo-guard\.yaml: /],
] as const) {
  test(`the configuration ${config} is refused`, async (t) => {
    await assert.rejects(lintWith(t, `${config}\n`), (error: Error) => {
      assert.match(error.message, says);
      return 'code' in error && error.code === 'BAD_CONFIG';
    });
  });
}

test('all that is wrong with a configuration is told at once, with what may have been meant', async (t) => {
  const config =
    'excludes: [a]\nfailOn: warn\nnodes: 0\nignore: [{ rule: rollout-deadlok, reason: later }, { rule: claim-shared }]\n';
  await assert.rejects(lintWith(t, config), (error: Error) => {
    const told = [/excludes is not known, did you mean exclude\?/, /failOn must be .*, not "warn"/, /nodes must be/];
    const rules = [/names rule "rollout-deadlok", did you mean rollout-deadlock\?/, /ignore\[1\]\.reason is missing/];
    for (const says of [...told, ...rules]) assert.match(error.message, says);
    return error.message.split('\n').length === 5;
  });
});

test('settings come from the file that is named, and flags are stronger', async (t) => {
  const folder = await filesFor(t, {
    'a.yaml': BAD,
    'ci.yaml': 'failOn: never\nassumeAttach: no\nstorage: [{ provisioner: a.example.com, attach: no }]\n',
  });
  const config = `${folder}/ci.yaml`;
  assert.equal((await lintIn(folder, { paths: ['a.yaml'], config })).printed.findings.length, 0);
  const { code, printed } = await lintIn(folder, { paths: ['a.yaml'], config, assumeAttach: 'yes' });
  assert.deepEqual([code, printed.findings.length], [0, 1]);
});
