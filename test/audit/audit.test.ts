import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claim, namespace, node } from '../admission/scene.ts';
import { audited, deployment, hazard, mended } from './audited.ts';

/** From a change until all is told of it. */
const TOLD_MS = 3_000;

test('what was applied before is told of once, and with its end', async () => {
  const { put, start, time, events, stop, now } = audited();
  put(...hazard('web'), ...hazard('safe', mended));
  start();
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web']);
  assert.deepEqual(now().findings, [{ namespace: 'shop', rule: 'rollout-deadlock', severity: 'error', count: 1 }]);
  put(deployment('web', { ...mended, replicas: 1 }));
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web', 'RolloutDeadlockRiskResolved web']);
  assert.deepEqual(now().findings, []);
  await stop();
});

test('what comes back is told of as once more', async () => {
  const { put, start, time, events, stop } = audited();
  put(...hazard('web'));
  start();
  await time.pass(TOLD_MS);
  for (const spec of [mended, {}]) {
    put(deployment('web', spec));
    await time.pass(TOLD_MS);
  }
  assert.deepEqual(events(), ['RolloutDeadlockRisk web x2', 'RolloutDeadlockRiskResolved web']);
  await stop();
});

test('one node that becomes two concerns every workload with volumes', async () => {
  const { put, remove, start, time, events, stop } = audited();
  remove(node('b'));
  put(...hazard('web'), ...hazard('db'));
  start();
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), []);
  put(node('b'));
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk db', 'RolloutDeadlockRisk web']);
  await stop();
});

test('a node that only says how it is has nothing judged again', async () => {
  const { put, start, time, now, stop } = audited();
  put(...hazard('web'));
  start();
  await time.pass(TOLD_MS);
  const before = now().lastJudgedAt;
  put(node('b'));
  await time.pass(TOLD_MS);
  assert.equal(now().lastJudgedAt, before);
  await stop();
});

test('another leader tells nothing again, and the end of what was mended meanwhile', async () => {
  const { api, put, start, time, events, stop, restart } = audited();
  put(...hazard('web'), ...hazard('db'));
  start();
  await time.pass(TOLD_MS);
  await stop();
  put(deployment('db', mended));
  api.writes.length = 0;
  restart();
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk db', 'RolloutDeadlockRiskResolved db', 'RolloutDeadlockRisk web']);
  const written = api.writes.filter(({ path }) => path.endsWith('/events'));
  assert.equal(written.length, 1);
  await stop();
});

test('a leader that may not list Events tells nothing twice', async () => {
  const { api, put, start, time, events, stop, restart } = audited();
  put(...hazard('web'));
  start();
  await time.pass(TOLD_MS);
  await stop();
  api.refuse = (method, path) => (method === 'GET' && path.endsWith('/events') ? 403 : undefined);
  put(...hazard('db'));
  restart();
  await time.pass(60_000);
  assert.deepEqual(events(), ['RolloutDeadlockRisk db', 'RolloutDeadlockRisk web']);
  await stop();
});

test('an API server that refuses everybody for a moment, as when it starts, is told and asked all of it after that', async () => {
  const { api, put, start, time, events, stop, restart } = audited();
  put(...hazard('web'), ...hazard('db'));
  start();
  await time.pass(TOLD_MS);
  await stop();
  put(deployment('db', mended), ...hazard('late'));
  api.refuse = (_method, path) => (path.includes('/events') ? 403 : undefined);
  restart();
  await time.pass(5_000);
  api.refuse = () => undefined;
  await time.pass(15_000);
  assert.deepEqual(events(), [
    'RolloutDeadlockRisk db',
    'RolloutDeadlockRiskResolved db',
    'RolloutDeadlockRisk late',
    'RolloutDeadlockRisk web',
  ]);
  await stop();
});

test('a workload that is gone ends without a word', async () => {
  const { put, remove, start, time, events, stop, now } = audited();
  const [own, web] = hazard('web');
  put(...hazard('web'));
  start();
  await time.pass(TOLD_MS);
  for (const object of [own, web]) if (object !== undefined) remove(object);
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web']);
  assert.deepEqual(now().findings, []);
  await stop();
});

test('a workload that was deleted and made again is told of again, as it is another one', async () => {
  const { put, start, time, events, stop } = audited();
  put(...hazard('web'));
  start();
  await time.pass(TOLD_MS);
  put(deployment('web', {}, { uid: 'another' }));
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web', 'RolloutDeadlockRisk web']);
  await stop();
});

test('two that share a claim are told of, and the one that stays is told of no more', async () => {
  const { put, remove, start, time, events, stop, now } = audited();
  const other = { ...deployment('web', mended), metadata: { namespace: 'shop', name: 'other', uid: 'uid-other' } };
  put(claim('web'), deployment('web', mended), other);
  start();
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['ClaimShared other', 'ClaimShared web']);
  remove(other);
  await time.pass(TOLD_MS);
  assert.deepEqual(now().findings, []);
  assert.ok(events().includes('ClaimSharedResolved web'));
  await stop();
});

test('a claim that asks for what its provisioner refuses is told of on the claim', async () => {
  const { api, put, start, time, events, stop } = audited();
  const ebs = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'ebs' },
    provisioner: 'ebs.csi.aws.com',
  };
  put(ebs, claim('shared', { accessModes: ['ReadWriteMany'], storageClassName: 'ebs' }));
  api.objects.set('/api/v1/namespaces/shop/persistentvolumeclaims/shared', { metadata: { uid: 'uid-shared' } });
  start();
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['AccessModeUnsupported shared']);
  await stop();
});

for (const [what, labels] of [
  ['that is switched off', { 'rwo-guard.dev/mode': 'off' }],
  ['that enforces', { 'rwo-guard.dev/mode': 'enforce' }],
] as const) {
  test(`in a namespace ${what}, ${labels['rwo-guard.dev/mode'] === 'off' ? 'nobody' : 'everybody'} hears of what stands`, async () => {
    const { put, start, time, events, stop } = audited();
    put(namespace('shop', labels), ...hazard('web'));
    start();
    await time.pass(TOLD_MS);
    assert.deepEqual(events(), labels['rwo-guard.dev/mode'] === 'off' ? [] : ['RolloutDeadlockRisk web']);
    await stop();
  });
}

test('a namespace that is labelled later is judged then', async () => {
  const { put, start, time, events, stop, now } = audited();
  put(namespace('shop', { 'rwo-guard.dev/mode': 'off' }), ...hazard('web'));
  start();
  await time.pass(TOLD_MS);
  put(namespace('shop', {}));
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web']);
  put(namespace('shop', { 'rwo-guard.dev/mode': 'off' }));
  await time.pass(TOLD_MS);
  assert.deepEqual(now().findings, []);
  await stop();
});

test('exempt namespaces, what exempts itself and what a maker was judged for are left alone', async () => {
  const { put, start, time, events, stop } = audited();
  const ignored = { annotations: { 'rwo-guard.dev/ignore': 'rollout-deadlock: the release script stops it first' } };
  const made = {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-web', controller: true }],
  };
  put(...hazard('ignored', {}, ignored), ...hazard('system', {}, { namespace: 'kube-system' }), ...hazard('web'));
  put({ ...deployment('web', { replicas: 3 }, { ...made, name: 'web-abc' }), kind: 'ReplicaSet' });
  start();
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web']);
  await stop();
});

test('an exemption that ends has its finding told of, though nothing changes', async () => {
  const { put, start, time, events, stop } = audited();
  const annotations = { 'rwo-guard.dev/ignore': 'rollout-deadlock until=2026-12-30: moves to another class this year' };
  put(...hazard('web', {}, { annotations }));
  start();
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), []);
  await time.pass(600_000);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web']);
  await stop();
});

test('while the state of the cluster is out of date nothing is judged', async () => {
  let isCurrent = false;
  const { put, start, time, events, stop } = audited({ isCurrent: () => isCurrent });
  put(...hazard('web'));
  start();
  await time.pass(60_000);
  assert.deepEqual(events(), []);
  isCurrent = true;
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web']);
  await stop();
});

test('what no change tells of is seen within ten minutes', async () => {
  const { state, put, start, time, events, stop } = audited();
  put(...hazard('web', mended));
  start();
  await time.pass(TOLD_MS);
  const unsaid = audited();
  unsaid.put(...hazard('web'));
  const web = unsaid.state.tables.Deployment.get('shop/web');
  if (web !== undefined) state.tables.Deployment.set('shop/web', web);
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), []);
  await time.pass(600_000);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web']);
  await stop();
});

test('an API server that does not answer is told everything later, once', async () => {
  const { api, put, start, time, events, stop, now } = audited();
  start();
  await time.pass(TOLD_MS);
  const isEvent = (path: string) => path.endsWith('/events');
  api.refuse = (_method, path) => (isEvent(path) ? new Error('nobody there') : undefined);
  put(...hazard('web'), ...hazard('db'));
  await time.pass(30_000);
  assert.ok((now().errors.get('events') ?? 0) > 1);
  api.refuse = () => undefined;
  await time.pass(15_000);
  assert.deepEqual(events(), ['RolloutDeadlockRisk db', 'RolloutDeadlockRisk web']);
  await stop();
});

test('an Event that is refused keeps nobody else’s back, and is not tried without end', async () => {
  const { api, put, start, time, events, log, stop } = audited();
  const isOfDoomed = (path: string) => path.includes('/doomed/');
  api.refuse = (_method, path) => (isOfDoomed(path) ? 403 : undefined);
  put(...hazard('gone', {}, { namespace: 'doomed' }), claim('gone', {}, { namespace: 'doomed' }), ...hazard('web'));
  start();
  await time.pass(60_000);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web']);
  assert.equal(api.writes.filter(({ path }) => isOfDoomed(path)).length, 4);
  assert.deepEqual(log.warnings(), ['the audit cannot write']);
  await stop();
});

test('an object that cannot be judged is counted, and keeps nobody else back', async () => {
  const { state, put, start, time, events, now, stop } = audited();
  put(...hazard('web'), ...hazard('bad'));
  const bad = state.tables.Deployment.get('shop/bad');
  if (bad !== undefined)
    state.tables.Deployment.set('shop/bad', Object.assign(Object.create(null), bad, { strategy: null }));
  start();
  await time.pass(TOLD_MS);
  assert.deepEqual(events(), ['RolloutDeadlockRisk web']);
  assert.equal(now().errors.get('judging'), 1);
  await stop();
});
