import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type JsonObject, objectAt } from '../../src/objects/json.ts';
import { start } from '../program.ts';
import { attachment, claim, custom, nameOf, node, pod, rollout, volume, workload } from '../recovery/scene.ts';
import { type PlayedApi, playedApi } from './played-api.ts';

function run(t: TestContext, api: PlayedApi, ...args: readonly string[]) {
  return start(t, [...args, '--kubeconfig', api.kubeconfig]).ended;
}

test('a claim is named as kubectl has it: with its namespace, by -n, or in the namespace of the context', async (t) => {
  const api = await playedApi(t, rollout());
  for (const args of [
    ['shop/data'],
    ['data'],
    ['data', '-n', 'shop'],
    ['data', '-n', 'shop', '--context', 'elsewhere'],
  ]) {
    const { code, stdout, stderr } = await run(t, api, 'who-uses', ...args);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^claim shop\/data: Bound/);
  }
  assert.equal((await run(t, api, 'who-uses', 'data', '--context', 'elsewhere')).code, 1);
});

for (const { name, args, says } of [
  { name: 'a claim of three parts', args: ['who-uses', 'a/b/c'], says: /give a claim as NAMESPACE\/CLAIM/ },
  { name: 'two namespaces', args: ['diagnose', 'shop/data', '-n', 'other'], says: /leave out -n/ },
  { name: 'an unknown format', args: ['who-uses', 'shop/data', '--format', 'yaml'], says: /text or json/ },
  { name: 'a time that is none', args: ['recover', 'shop/data', '--timeout', 'soon'], says: /number of seconds/ },
  { name: 'an owner without a kind', args: ['recover', 'shop/data', '--keep', 'web'], says: /KIND\/NAME/ },
]) {
  test(`${name} is a usage error`, async (t) => {
    const { code, stderr } = await run(t, await playedApi(t, []), ...args);
    assert.equal(code, 2);
    assert.match(stderr, says);
  });
}

test('owners of an operator’s kind are asked for one by one, up to the top', async (t) => {
  const db = custom('Database', 'main', { labels: { 'helm.toolkit.fluxcd.io/name': 'db' } });
  const api = await playedApi(t, [claim(), volume(), db, workload('StatefulSet', 'db', { of: db })]);
  const { stdout } = await run(t, api, 'who-uses', 'shop/data');
  assert.match(
    stdout,
    /of Database shop\/main\n {2}applied by Flux HelmRelease db\n {2}made by Database shop\/main: its operator/,
  );
});

test('what may not be read is told, and so is that nobody may be stopped without it', async (t) => {
  const api = await playedApi(t, rollout());
  api.refuse('volumeattachments');
  api.refuse('poddisruptionbudgets');
  assert.match(
    (await run(t, api, 'who-uses', 'shop/data')).stdout,
    /not seen: volumeattachments could not be read: permission missing/,
  );
  const { code, stdout } = await run(t, api, 'recover', 'shop/data', '--apply');
  assert.equal(code, 1);
  assert.match(
    stdout,
    /nobody may be stopped while something is not seen: poddisruptionbudgets in shop could not be read/,
  );
  assert.deepEqual([...api.writes], []);
});

test('without a claim every stuck one is told, the worst first', async (t) => {
  const calm = [claim('calm'), volume('calm'), pod('calm', { on: 'node-b', claim: 'calm' })];
  const lost = [claim('lost'), volume('lost'), attachment('node-z', { name: 'lost' })];
  const api = await playedApi(t, [...rollout(), ...calm, ...lost]);
  const { code, stdout } = await run(t, api, 'diagnose');
  assert.equal(code, 1);
  assert.deepEqual(
    stdout.match(/^shop\/.*\[.*\]$|^\d.*$/gm)?.map((line) => line.replace(/:.*\[/, ' [')),
    ['shop/lost [deleted-node]', 'shop/data [rollout-deadlock]', '2 of 3 claims in use are stuck'],
  );
  const { stuck } = JSON.parse((await run(t, api, 'diagnose', '--format', 'json')).stdout);
  assert.deepEqual(
    stuck.map((one: { case: string }) => one.case),
    ['deleted-node', 'rollout-deadlock'],
  );
  assert.equal((await run(t, api, 'diagnose', 'shop/calm')).code, 0);
});

test('nobody is told that nothing is stuck by who may not see it', async (t) => {
  const api = await playedApi(t, rollout());
  api.refuse('pods');
  const { code, stdout } = await run(t, api, 'diagnose');
  assert.deepEqual(
    [code, stdout],
    [1, 'not seen: pods could not be read: permission missing\n0 of 1 claims in use are stuck\n'],
  );
});

test('without --apply nothing is written, and with --dry-run nothing is kept', async (t) => {
  const api = await playedApi(t, rollout());
  const plan = await run(t, api, 'recover', 'shop/data');
  assert.equal(plan.code, 1);
  assert.match(plan.stdout, /\[rollout-deadlock\][\s\S]*\n1\. {2}\* note on claim/);
  assert.deepEqual([...api.writes], []);
  const dry = await run(t, api, 'recover', 'shop/data', '--dry-run', '--apply');
  assert.match(dry.stdout, /dry run: scale Deployment shop\/web from 1 to 0: would pass/);
  assert.ok(api.writes.every((write) => write.endsWith('?dryRun=All')));
});

test('--apply writes step by step, reads back, and ends with what was there', async (t) => {
  const api = await playedApi(t, rollout(), controllers);
  const { code, stdout, stderr } = await run(t, api, 'recover', 'shop/data', '--apply');
  assert.deepEqual([code, stdout], [0, 'recovered\n'], stderr);
  assert.match(
    stderr,
    /^scale Deployment shop\/web from 1 to 0\n {2}done, and read back: scale Deployment shop\/web from 1 to 0$/m,
  );
  assert.deepEqual(
    api.writes.map((write) => write.split('/').slice(-2).join('/')),
    [
      'persistentvolumeclaims/data',
      'deployments/web',
      'persistentvolumeclaims/data',
      'deployments/web',
      'deployments/web',
      'persistentvolumeclaims/data',
    ],
  );
});

test('what somebody scales back again and again is given up, and told', async (t) => {
  const api = await playedApi(t, rollout(), (objects) =>
    objects.map((one) => (nameOf(one) === 'web' ? { ...one, spec: { ...objectAt(one, 'spec'), replicas: 1 } } : one)),
  );
  const { code, stdout } = await run(t, api, 'recover', 'shop/data', '--apply');
  assert.equal(code, 1);
  assert.match(stdout, /somebody undoes it again and again; have it wait first\nrun it again to go on/);
});

test('a node that is declared off is written with its boot id, beside the taints that it has', async (t) => {
  const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2026-06-01T11:00:00Z' };
  const down = node('node-a', { ready: 'Unknown', taints: [unreachable] });
  const api = await playedApi(t, [
    down,
    claim(),
    volume(),
    attachment('node-a'),
    pod('old', { on: 'node-a', overdue: 100 }),
  ]);
  assert.equal((await run(t, api, 'recover', 'shop/data', '--apply')).code, 1);
  assert.deepEqual([...api.writes], []);
  const { stdout } = await run(t, api, 'recover', 'shop/data', '--apply', '--node-is-off', 'node-a', '--timeout', '0');
  assert.match(stdout, /not within the time/);
  await run(t, api, 'recover', 'shop/data', '--apply', '--node-is-off', 'node-a', '--timeout', '1');
  assert.deepEqual(api.writes, ['PATCH /api/v1/nodes/node-a']);
  const written = api.objects().find((one) => one.kind === 'Node');
  assert.deepEqual(objectAt(written, 'spec')?.taints, [
    unreachable,
    { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' },
  ]);
  assert.deepEqual(objectAt(objectAt(written, 'metadata'), 'annotations'), {
    'rwo-guard.dev/out-of-service-boot-id': 'boot-of-node-a',
  });
});

test('an attachment is deleted once it is asked again whether its node is there', async (t) => {
  const api = await playedApi(t, [
    claim(),
    volume(),
    attachment('node-a'),
    node('node-b'),
    pod('new', { on: 'node-b', starting: true }),
  ]);
  await run(t, api, 'recover', 'shop/data', '--apply', '--node-is-off', 'node-a', '--timeout', '1');
  assert.deepEqual(api.writes, ['DELETE /apis/storage.k8s.io/v1/volumeattachments/csi-data-node-a']);
});

/** At no replicas pods go and the volume comes off; at one a pod comes up. */
function controllers(objects: readonly JsonObject[]): readonly JsonObject[] {
  const web = objects.find(({ kind }) => kind === 'Deployment');
  const replicas = objectAt(web, 'spec')?.replicas;
  const rest = objects.filter(({ kind }) => kind !== 'Pod' && kind !== 'VolumeAttachment');
  if (replicas === 0) return rest.map((one) => (one === web ? { ...one, status: { replicas: 0 } } : one));
  if (objects.some(({ kind }) => kind === 'Pod')) return objects;
  const next = objects.find((one) => nameOf(one) === 'web-new');
  return [
    ...rest.map((one) => (one === web ? { ...one, status: { replicas } } : one)),
    ...[attachment('node-b'), pod('web-new-2', { on: 'node-b', ...(next && { of: next }) })],
  ];
}
