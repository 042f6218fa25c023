import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { claim, creating, deployment, enforcing, type Scene, scene, type Told, updating } from './scene.ts';

const mutating = (value: string, more: object = {}): Scene =>
  scene({ labels: { 'rwo-guard.dev/mutate': value, ...more } });

function patchOf({ response }: Told): readonly { op: string; path: string; value: unknown }[] {
  return response.patch === undefined ? [] : JSON.parse(Buffer.from(response.patch, 'base64').toString());
}

const replacesStrategy = { op: 'add', path: '/spec/strategy', value: { type: 'Recreate' } };
const marks = (mutation: string) => ({
  op: 'add',
  path: '/metadata/annotations',
  value: { 'rwo-guard.dev/mutated': mutation },
});

test('recreate replaces the strategy whole and says what was done', async () => {
  const told = await mutating('recreate').mutate(creating(deployment()));
  assert.deepEqual(patchOf(told), [replacesStrategy, marks('recreate')]);
  assert.equal(told.response.patchType, 'JSONPatch');
  assert.match(told.warnings[0] ?? '', /^Deployment shop\/web: strategy set to Recreate/);
  assert.deepEqual(told.response.auditAnnotations, { mutated: 'recreate' });
});

test('CREATE, UPDATE and dry run are repaired alike', async () => {
  const cluster = mutating('recreate');
  const [created, updated, dry] = await Promise.all([
    cluster.mutate(creating(deployment())),
    cluster.mutate(updating(deployment({ replicas: 0 }), deployment())),
    cluster.mutate(creating(deployment(), { dryRun: true })),
  ]);
  assert.deepEqual(patchOf(updated), patchOf(created));
  assert.deepEqual(patchOf(dry), patchOf(created));
});

test('auto gives one replica Recreate, and more of them pod affinity', async () => {
  assert.deepEqual(patchOf(await mutating('auto').mutate(creating(deployment()))).at(-1), marks('recreate'));
  const told = await mutating('auto').mutate(creating(deployment({ replicas: 3 })));
  assert.deepEqual(
    patchOf(told).map(({ path }) => path),
    ['/spec/template/spec/affinity', '/metadata/annotations'],
  );
});

test('the affinity warning says that one rollout follows and that two pods write at once', async () => {
  const { warnings } = await mutating('pod-affinity').mutate(creating(deployment()));
  assert.match(warnings[0] ?? '', /one rollout follows/);
  assert.match(warnings[1] ?? '', /write the same files at once/);
});

test('the affinity warning says what to do where several pods run without it', async () => {
  const [before, after] = [deployment({ replicas: 2 }), deployment({ replicas: 2, paused: true })];
  const { warnings } = await mutating('pod-affinity').mutate(updating(before, after));
  assert.ok(
    warnings.includes(
      'Deployment shop/web: pods that run on several nodes stay apart; scale to 1 first, or Recreate once',
    ),
  );
  const held = deployment({ replicas: 2 }, { annotations: { 'rwo-guard.dev/mutated': 'pod-affinity' } });
  for (const request of [creating(after), updating(deployment(), after), updating(held, after)]) {
    assert.doesNotMatch((await mutating('pod-affinity').mutate(request)).warnings.join(), /stay apart/);
  }
});

test('an affinity once injected stays although one replica is left', async () => {
  const before = deployment({ replicas: 3 }, { annotations: { 'rwo-guard.dev/mutated': 'pod-affinity' } });
  const told = await mutating('auto').mutate(updating(before, deployment()));
  assert.equal(patchOf(told)[0]?.path, '/spec/template/spec/affinity');
});

test('a ReadWriteOncePod claim always gets Recreate', async () => {
  const cluster = mutating('pod-affinity');
  cluster.add(claim('data', { accessModes: ['ReadWriteOncePod'] }));
  assert.deepEqual(patchOf(await cluster.mutate(creating(deployment())))[0], replacesStrategy);
});

test('a driver that takes one pod only always gets Recreate', async () => {
  const cluster = mutating('pod-affinity');
  cluster.add({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'lvm' },
    provisioner: 'local.csi.openebs.io',
  });
  cluster.add(claim('data', { storageClassName: 'lvm' }));
  assert.deepEqual(patchOf(await cluster.mutate(creating(deployment())))[0], replacesStrategy);
});

test('Recreate that arrives with a left-over rollingUpdate has it dropped', async () => {
  const strategy = { type: 'Recreate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } };
  const told = await mutating('pod-affinity').mutate(updating(deployment(), deployment({ strategy })));
  assert.deepEqual(patchOf(told), [replacesStrategy, marks('drop-rolling-update')]);
});

test('replicas are never touched, nor what is safe already', async () => {
  const cluster = mutating('auto');
  for (const spec of [{ strategy: { type: 'Recreate' } }, { strategy: oldPodFirst }]) {
    assert.deepEqual(patchOf(await cluster.mutate(creating(deployment(spec)))), []);
  }
});

test('what could not be found out is not repaired', async () => {
  const cluster = mutating('auto');
  cluster.state.tables.PersistentVolumeClaim.clear();
  assert.deepEqual(patchOf(await cluster.mutate(creating(deployment()))), []);
});

test('without the label, or with a value that is none, nothing is repaired', async () => {
  assert.deepEqual(patchOf(await scene().mutate(creating(deployment()))), []);
  assert.deepEqual(patchOf(await mutating('yes').mutate(creating(deployment()))), []);
});

for (const [whose, metadata, warning] of [
  [
    'an Apply entry owns it',
    { managedFields: [applied({ 'f:spec': { 'f:strategy': {} } })] },
    /your manifest sets spec.strategy: GitOps/,
  ],
  [
    'last-applied contains it',
    lastApplied({ spec: { strategy: { type: 'RollingUpdate' } } }),
    /your manifest sets spec.strategy: GitOps/,
  ],
  ['nobody can tell', {}, /if your manifest sets spec.strategy, GitOps/],
  ['the manifest does not set it', lastApplied({ spec: {} }), undefined],
] as const) {
  test(`a strategy is repaired and the warning about drift fits when ${whose}`, async () => {
    const told = await mutating('recreate').mutate(creating(deployment({}, metadata)));
    assert.deepEqual(patchOf(told)[0], replacesStrategy);
    assert.equal(told.warnings.length, warning === undefined ? 1 : 2);
    if (warning !== undefined) assert.match(told.warnings[1] ?? '', warning);
  });
}

test('what was repaired is then allowed by the validating door', async () => {
  const cluster = mutating('recreate', enforcing);
  const repaired = { ...deployment({ strategy: { type: 'Recreate' } }) };
  assert.equal((await cluster.validate(creating(deployment()))).response.allowed, false);
  assert.equal((await cluster.validate(creating(repaired))).response.allowed, true);
});

const oldPodFirst = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };

function applied(fieldsV1: JsonObject): object {
  return { manager: 'kubectl', operation: 'Apply', fieldsV1 };
}

function lastApplied(manifest: object): object {
  return { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(manifest) } };
}

test('an object that was there before the label is repaired at its next write, whatever that changes', async () => {
  const relabelled = deployment({}, { labels: { team: 'a' } });
  assert.deepEqual(patchOf(await mutating('recreate').mutate(updating(deployment(), relabelled)))[0], replacesStrategy);
});

test('auto counts the replicas that an autoscaler may ask for', async () => {
  const cluster = mutating('auto');
  cluster.add({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name: 'web' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  });
  assert.equal(patchOf(await cluster.mutate(creating(deployment())))[0]?.path, '/spec/template/spec/affinity');
});

test('what an exemption covers is not repaired', async () => {
  const exempt = { annotations: { 'rwo-guard.dev/ignore': 'rollout-deadlock: stopped before each rollout' } };
  assert.deepEqual(patchOf(await mutating('recreate').mutate(creating(deployment({}, exempt)))), []);
});

test('a label that asks for a repair that there is not is told', async () => {
  const { warnings } = await mutating('yes').validate(creating(deployment({ strategy: { type: 'Recreate' } })));
  assert.deepEqual(warnings, [
    'namespace label rwo-guard.dev/mutate=yes is none of recreate, pod-affinity, auto; nothing is repaired',
  ]);
});
