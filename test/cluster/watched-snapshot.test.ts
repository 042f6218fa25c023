import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/cluster/api-error.ts';
import { WatchedSnapshot } from '../../src/cluster/watched-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { LISTS } from '../../src/objects/kinds.ts';
import { eventually, FakeApi, FakeLog, FakeTime, FakeWatch, page } from './fake-api.ts';

const claims = '/api/v1/persistentvolumeclaims';

const stopped = { metadata: { namespace: 'shop', name: 'stopped' }, spec: { replicas: 0 } };

const cluster: Readonly<Record<string, readonly JsonObject[]>> = {
  [claims]: [{ metadata: { namespace: 'shop', name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }],
  '/api/v1/namespaces': [{ metadata: { name: 'shop', labels: { 'rwo-guard.dev/mode': 'enforce' } } }],
  '/api/v1/nodes': [{ metadata: { name: 'one' } }, { metadata: { name: 'two' } }],
  '/apis/apps/v1/deployments': [deployment('web', 'data'), deployment('front'), stopped],
  '/apis/apps/v1/statefulsets': [
    {
      metadata: { namespace: 'shop', name: 'db' },
      spec: { replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
    },
  ],
};

function deployment(name: string, claimName?: string): JsonObject {
  const volumes = claimName === undefined ? [] : [{ name: 'data', persistentVolumeClaim: { claimName } }];
  return { metadata: { namespace: 'shop', name }, spec: { template: { spec: { volumes } } } };
}

/** `answer` for the claims, and the cluster above for everything else. */
function watching(answer?: () => JsonObject | Error | Promise<JsonObject>, watch?: () => FakeWatch | Error) {
  const api = new FakeApi(
    ({ path }) => (path === claims && answer ? answer() : page(cluster[path] ?? [], '10')),
    ({ path }) => (path === claims && watch ? watch() : new FakeWatch()),
  );
  const log = new FakeLog();
  const time = new FakeTime();
  return { watched: new WatchedSnapshot({ connection: api, log, time }), api, log, time };
}

test('a watched snapshot is unknown until each list was read, and says which are awaited', async () => {
  const list = Promise.withResolvers<JsonObject>();
  const { watched, api } = watching(() => list.promise);
  const { snapshot } = watched;
  assert.deepEqual(watched.ready(), { ready: false, because: `not listed yet: ${LISTS.join(', ')}` });
  watched.start();
  await eventually(() => api.watches.length === LISTS.length - 1);
  assert.deepEqual(watched.ready(), { ready: false, because: 'not listed yet: persistentvolumeclaims' });
  assert.deepEqual(snapshot.get('PersistentVolumeClaim', 'shop', 'data'), {
    known: false,
    because: 'persistentvolumeclaims have not been listed yet',
  });
  assert.equal(snapshot.nodes().known, true);
  list.resolve(page(cluster[claims] ?? [], '10'));
  await eventually(() => watched.ready().ready);
  const claim = snapshot.get('PersistentVolumeClaim', 'shop', 'data');
  assert.equal(claim.known && claim.value?.metadata.name, 'data');
  assert.deepEqual(snapshot.get('PersistentVolumeClaim', 'shop', 'other'), { known: true, value: undefined });
  await watched.stop();
});

test('a watched snapshot fills every table from its list, and keeps workloads that run pods', async () => {
  const { watched } = watching();
  watched.start();
  await eventually(() => watched.ready().ready);
  const { snapshot } = watched;
  const mounting = snapshot.workloadsMounting('shop', 'data');
  assert.deepEqual(
    mounting.workloads.map(({ metadata }) => metadata.name),
    ['web'],
  );
  assert.deepEqual(
    snapshot.workloadsMounting('shop', 'data-db-0').workloads.map(({ metadata }) => metadata.name),
    ['db'],
  );
  const inShop = snapshot.workloadsIn(['shop']);
  assert.deepEqual(inShop.known && inShop.value.map(({ metadata }) => metadata.name), ['web', 'front', 'db']);
  assert.deepEqual(snapshot.get('Deployment', 'shop', 'stopped'), { known: true, value: undefined });
  assert.deepEqual(
    watched.stats().map(({ list, objects }) => `${list} ${objects}`),
    [
      'nodes 2',
      'persistentvolumeclaims 1',
      'persistentvolumes 0',
      'storageclasses 0',
      'csidrivers 0',
      'runtimeclasses 0',
      'namespaces 1',
      'deployments 2',
      'statefulsets 1',
      'daemonsets 0',
      'replicasets 0',
      'jobs 0',
      'cronjobs 0',
      'horizontalpodautoscalers 0',
    ],
  );
  await watched.stop();
});

test('a list that is refused holds readiness back for 30 seconds and stays unknown, never empty', async () => {
  const refusal = new ApiError(`GET ${claims}`, 403, 'persistentvolumeclaims is forbidden');
  const { watched, api, log, time } = watching(() => refusal);
  const started = time.now();
  watched.start();
  await eventually(() => api.watches.length === LISTS.length - 1);
  assert.deepEqual(watched.ready(), {
    ready: false,
    because: `not listed yet: persistentvolumeclaims (${refusal.message})`,
  });
  await eventually(() => watched.ready().ready);
  assert.ok(time.now() - started >= 30_000);
  assert.deepEqual(watched.snapshot.get('PersistentVolumeClaim', 'shop', 'data'), {
    known: false,
    because: 'persistentvolumeclaims cannot be listed: permission missing (list, watch)',
  });
  await eventually(() => log.lines.length > 0);
  assert.deepEqual(log.warnings(), ['list refused']);
  await watched.stop();
});

test('a list that was read stays in force while its watch is refused for a moment, and no longer', async () => {
  const { watched, time } = watching(undefined, () => new ApiError(`GET ${claims}`, 403, 'forbidden'));
  const started = time.now();
  watched.start();
  await eventually(() => watched.stats().some(({ refusedSince }) => refusedSince !== undefined));
  assert.equal(watched.snapshot.get('PersistentVolumeClaim', 'shop', 'data').known, true);
  await eventually(() => time.now() - started > 40_000);
  assert.deepEqual(watched.snapshot.get('PersistentVolumeClaim', 'shop', 'data'), {
    known: false,
    because: 'persistentvolumeclaims cannot be listed: permission missing (list, watch)',
  });
  assert.equal(watched.ready().ready, true);
  await watched.stop();
});

test('all is heard of while every watch is open, and again once one that broke is', async () => {
  const watch = new FakeWatch();
  let isReachable = true;
  const { watched } = watching(undefined, () => (isReachable ? watch : unreachable));
  assert.equal(watched.hearsAll(), false);
  watched.start();
  await eventually(() => watched.hearsAll());
  isReachable = false;
  watch.fail(unreachable);
  await eventually(() => !watched.hearsAll());
  assert.ok(watched.ready().ready);
  isReachable = true;
  await eventually(() => watched.hearsAll());
  await watched.stop();
});

test('for a list that is refused for good nobody waits', async () => {
  const { watched, time } = watching(() => new ApiError('GET', 403, 'forbidden'));
  const started = time.now();
  watched.start();
  await eventually(() => time.now() - started > 40_000);
  assert.ok(watched.hearsAll());
  await watched.stop();
});

test('the age of the last event grows until something is heard', async () => {
  const watch = new FakeWatch();
  const { watched, time } = watching(undefined, () => watch);
  const age = () => watched.stats().find(({ list }) => list === 'persistentvolumeclaims')?.lastEventAgeSeconds;
  assert.equal(age(), undefined);
  watched.start();
  await eventually(() => watched.ready().ready);
  time.pass(5_000);
  assert.equal(age(), 5);
  watch.send('BOOKMARK', { metadata: { resourceVersion: '11' } });
  await eventually(() => age() === 0);
  await watched.stop();
});

test('whoever wants to know is told which object has changed, when the snapshot shows it', async () => {
  const changes: string[] = [];
  const watch = new FakeWatch();
  const api = new FakeApi(
    ({ path }) => page(cluster[path] ?? [], '10'),
    ({ path }) => (path === claims ? watch : new FakeWatch()),
  );
  const watched = new WatchedSnapshot({
    connection: api,
    log: new FakeLog(),
    time: new FakeTime(),
    onChange: (list, key) => {
      if (list !== 'persistentvolumeclaims') return;
      const found = watched.snapshot.get('PersistentVolumeClaim', 'shop', 'data');
      changes.push(`${key} ${found.known && found.value !== undefined}`);
    },
  });
  watched.start();
  await eventually(() => watched.ready().ready);
  watch.send('DELETED', { metadata: { namespace: 'shop', name: 'data', resourceVersion: '11' } });
  await eventually(() => changes.length > 1);
  assert.deepEqual(changes, ['shop/data true', 'shop/data false']);
  await watched.stop();
});

/** As an API server does that cannot be reached: nothing is refused, and nothing comes. */
const unreachable = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' });

test('a list of which nothing is heard for two minutes is stale, is still ready, and says so', async () => {
  const { watched, time } = watching();
  watched.start();
  await eventually(() => watched.ready().ready);
  time.pass(119_999);
  assert.equal(watched.staleFor(), undefined);
  assert.deepEqual(watched.ready(), { ready: true });
  time.pass(1);
  assert.equal(watched.staleFor(), 120);
  const ready = watched.ready();
  assert.ok(ready.ready);
  assert.match(
    ready.but ?? '',
    /^stale, so that findings warn and do not deny: nodes \(120 s\), persistentvolumeclaims/,
  );
  assert.ok(watched.stats().every(({ stale }) => stale));
  await watched.stop();
});

test('one silent list is enough, and it says for how long', async () => {
  const watches: FakeWatch[] = [];
  const api = new FakeApi(
    ({ path }) => page(cluster[path] ?? [], '10'),
    ({ path }) => {
      const watch = new FakeWatch();
      if (path !== claims) watches.push(watch);
      return watch;
    },
  );
  const time = new FakeTime();
  const watched = new WatchedSnapshot({ connection: api, log: new FakeLog(), time });
  watched.start();
  await eventually(() => watched.ready().ready && watches.length === LISTS.length - 1);
  time.pass(150_000);
  for (const watch of watches) watch.send('BOOKMARK', { metadata: { resourceVersion: '11' } });
  await eventually(() => watched.stats().filter(({ stale }) => stale).length === 1);
  assert.equal(watched.staleFor(), 150);
  assert.deepEqual(watched.ready(), {
    ready: true,
    but: 'stale, so that findings warn and do not deny: persistentvolumeclaims (150 s)',
  });
  await watched.stop();
});

test('a list that was never read is not stale but unknown, and so is one that is refused', async () => {
  const { watched, time } = watching(() => new ApiError(`GET ${claims}`, 403, 'forbidden'));
  watched.start();
  await eventually(() => watched.ready().ready);
  time.pass(100);
  assert.ok(watched.stats().every(({ list, stale }) => list !== 'persistentvolumeclaims' || !stale));
  await watched.stop();
});

test('a silent watch is taken up again, which ends the silence; where that fails the list becomes stale, said once', async () => {
  const silence = Object.assign(new Error('Body Timeout Error'), { code: 'UND_ERR_BODY_TIMEOUT' });
  let reachable = true;
  const watches: FakeWatch[] = [];
  const { watched, log, time } = watching(undefined, () => {
    if (!reachable) return unreachable;
    watches.push(new FakeWatch());
    return watches.at(-1) ?? unreachable;
  });
  const stale = () => watched.stats().find(({ list }) => list === 'persistentvolumeclaims')?.stale;
  const said = () => log.warnings().filter((message) => message.startsWith('list is stale')).length;
  watched.start();
  await eventually(() => watches.length === 1);
  time.pass(90_000);
  watches[0]?.fail(silence);
  await eventually(() => watches.length === 2);
  time.pass(90_000);
  assert.equal(stale(), false);
  reachable = false;
  watches[1]?.fail(silence);
  await eventually(() => said() === 1);
  assert.equal(stale(), true);
  const since = time.now();
  await eventually(() => time.now() - since > 100_000);
  assert.equal(said(), 1);
  reachable = true;
  await eventually(() => watches.length === 3);
  assert.equal(stale(), false);
  await watched.stop();
});
