import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, type TestContext, test } from 'node:test';
import { KubeConnection } from '../../src/cluster/connection.ts';
import { loadKubeConfig } from '../../src/cluster/kube-config.ts';
import { liveLookup } from '../../src/cluster/live-lookup.ts';
import { realTime } from '../../src/cluster/time.ts';
import { type ListStats, WatchedSnapshot } from '../../src/cluster/watched-snapshot.ts';
import { LISTS, type ListName } from '../../src/objects/kinds.ts';
import { FakeLog } from '../cluster/fake-api.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';

const STORAGE_CLASS = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'watcher' } };

/** An API server that starts, and the longest pause between two attempts after it. */
const PATIENCE = { timeoutMs: 120_000 };

/** A few seconds instead of ninety, so that silence is noticed while a test waits. */
const SILENT_AFTER_MS = 3_000;

describe('a watched snapshot of a real API server', () => {
  let controlPlane: ControlPlane;
  let named = 0;

  before(async () => {
    controlPlane = await startControlPlane();
    await controlPlane.api.create({
      ...ROLE,
      rules: [
        {
          apiGroups: ['', 'apps', 'batch', 'autoscaling', 'node.k8s.io', 'storage.k8s.io'],
          resources: LISTS,
          verbs: ['get', 'list', 'watch'],
        },
      ],
    } as KubernetesObject);
  });
  after(() => controlPlane?.stop());

  /** As the administrator, unless told otherwise. The clock can be put forward. */
  function watching(t: TestContext, kubeconfig = controlPlane.adminKubeconfig) {
    const log = new FakeLog();
    const clock = { ahead: 0 };
    const connection = new KubeConnection({
      load: () => loadKubeConfig({ kubeconfig }),
      silentAfterMs: SILENT_AFTER_MS,
    });
    const time = { ...realTime, now: () => Date.now() + clock.ahead };
    const watched = new WatchedSnapshot({ connection, log, time });
    t.after(async () => {
      await watched.stop();
      await connection.close();
    });
    watched.start();
    return { watched, connection, log, clock };
  }

  /** A name that nothing has had before. */
  function fresh(): string {
    named += 1;
    return `class-${named}`;
  }

  /** Written as often as it takes: connections from before a restart break. */
  function createClass(name: string): Promise<unknown> {
    const storageClass = { ...STORAGE_CLASS, metadata: { name }, provisioner: 'example.com/disk' };
    return until(`storage class ${name} to be made`, () => controlPlane.api.apply(storageClass), PATIENCE);
  }

  async function grant(subject: object): Promise<void> {
    await controlPlane.api.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'watcher' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'watcher' },
      subjects: [subject],
    } as KubernetesObject);
  }

  function ready(watched: WatchedSnapshot): Promise<unknown> {
    return until('the snapshot to be ready', async () => watched.ready().ready, PATIENCE);
  }

  function has({ snapshot }: WatchedSnapshot, name: string): boolean {
    const found = snapshot.get('StorageClass', '', name);
    return found.known && found.value !== undefined;
  }

  function sees(watched: WatchedSnapshot, name: string): Promise<unknown> {
    return until(`${name} to be seen`, async () => has(watched, name), PATIENCE);
  }

  function statsOf(watched: WatchedSnapshot, list: ListName): ListStats {
    const stats = watched.stats().find((candidate) => candidate.list === list);
    assert.ok(stats);
    return stats;
  }

  test('lists many objects over several pages, and follows them', async (t) => {
    const names = Array.from({ length: 600 }, fresh);
    await Promise.all(names.map(createClass));
    const { watched } = watching(t);
    await ready(watched);
    assert.equal(statsOf(watched, 'storageclasses').objects, names.length);
    const [gone = ''] = names;
    await controlPlane.api.delete({ ...STORAGE_CLASS, name: gone });
    await until('the deletion to be seen', async () => !has(watched, gone));
    const added = fresh();
    await createClass(added);
    await sees(watched, added);
    assert.deepEqual(
      watched.stats().map(({ relists, unreadable }) => [relists, unreadable]),
      watched.stats().map(() => [0, 0]),
    );
  });

  test('outlives an API server that is killed, and sees what changed afterwards', async (t) => {
    const [gone, added] = [fresh(), fresh()];
    await createClass(gone);
    const { watched, log } = watching(t);
    await ready(watched);
    await controlPlane.kill('kube-apiserver');
    await until('the loss to be noticed', async () => statsOf(watched, 'storageclasses').problem !== undefined);
    assert.equal(has(watched, gone), true);
    await controlPlane.restart('kube-apiserver');
    await createClass(added);
    await controlPlane.api.delete({ ...STORAGE_CLASS, name: gone });
    await sees(watched, added);
    await until('the deletion to be seen', async () => !has(watched, gone), PATIENCE);
    assert.ok(log.warnings().includes('watch interrupted'));
    assert.equal(statsOf(watched, 'storageclasses').problem, undefined);
  });

  test('notices an API server that has fallen silent, and goes on when it speaks again', async (t) => {
    const { watched } = watching(t);
    await ready(watched);
    controlPlane.pause('kube-apiserver');
    await until(
      'the silence to be noticed',
      async () => watched.stats().every(({ problem }) => problem !== undefined),
      PATIENCE,
    );
    controlPlane.resume('kube-apiserver');
    const added = fresh();
    await createClass(added);
    await sees(watched, added);
  });

  test('lists again when etcd was compacted while it was away', async (t) => {
    const [gone, added] = [fresh(), fresh()];
    await createClass(gone);
    const { watched } = watching(t);
    await ready(watched);
    await controlPlane.kill('kube-apiserver');
    await controlPlane.restart('kube-apiserver'); // what a starting API server writes leaves the old versions behind
    await controlPlane.compactEtcd();
    await controlPlane.api.delete({ ...STORAGE_CLASS, name: gone });
    await createClass(added);
    await controlPlane.compactEtcd();
    await controlPlane.restart('kube-apiserver');
    await sees(watched, added);
    await until('the deletion to be seen', async () => !has(watched, gone), PATIENCE);
    await until('a list to be read again', async () => watched.stats().some(({ relists }) => relists > 0), PATIENCE);
  });

  test('ends with what the API server has, however it was disturbed', async (t) => {
    const { watched } = watching(t);
    await ready(watched);
    const writing = new AbortController();
    const writer = (async () => {
      while (!writing.signal.aborted) {
        const name = fresh();
        await createClass(name);
        if (named % 3 === 0) await controlPlane.api.delete({ ...STORAGE_CLASS, name }).catch(() => undefined);
      }
    })();
    for (let round = 0; round < 3; round++) {
      const { relists } = statsOf(watched, 'storageclasses');
      await controlPlane.restart('kube-apiserver');
      await controlPlane.compactEtcd();
      const later = fresh();
      await createClass(later);
      await sees(watched, later);
      assert.ok(statsOf(watched, 'storageclasses').relists >= relists);
    }
    writing.abort();
    await writer;
    const classes = await controlPlane.api.list(STORAGE_CLASS);
    const names = classes.map(({ metadata }) => metadata?.name ?? '');
    await until('both to have the same', async () => {
      return statsOf(watched, 'storageclasses').objects === names.length && names.every((name) => has(watched, name));
    });
  });

  test('reads its token again when the old one is not taken any more', async (t) => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name: 'rotated' } };
    const key = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'rotated' };
    await controlPlane.api.create(account);
    await grant({ kind: 'ServiceAccount', namespace: 'default', name: 'rotated' });
    const { kubeconfig, token } = await controlPlane.serviceAccountKubeconfig('default', 'rotated');
    const { watched } = watching(t, kubeconfig);
    await ready(watched);

    await controlPlane.api.delete(key); // with another uid, the account's old tokens are worth nothing
    await controlPlane.api.create(account);
    await controlPlane.restart('kube-apiserver');
    await until(
      'the old token to be refused',
      async () => watched.stats().every(({ problem }) => problem?.code === 'HTTP_401'),
      PATIENCE,
    );
    await writeFile(token, await controlPlane.serviceAccountToken('default', 'rotated'));
    const added = fresh();
    await createClass(added);
    await sees(watched, added);
  });

  test('is unknown while it may not list, ready all the same after a while, and known once it may', async (t) => {
    const known = fresh();
    await createClass(known);
    const { watched, log, clock } = watching(t, await controlPlane.kubeconfigFor({ user: 'newcomer' }));
    await until('the refusals', async () => watched.stats().every(({ refusedSince }) => refusedSince !== undefined));
    assert.equal(watched.ready().ready, false);
    clock.ahead = 30_000;
    assert.deepEqual(watched.ready(), { ready: true });
    assert.deepEqual(watched.snapshot.get('StorageClass', '', known), {
      known: false,
      because: 'storageclasses cannot be listed: permission missing (list, watch)',
    });
    await until('the missing permissions to be named', async () => log.lines.length === LISTS.length, PATIENCE);
    assert.deepEqual(new Set(log.warnings()), new Set(['list refused']));

    await grant({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'newcomer' });
    await sees(watched, known);
  });

  test('touches nothing after it was stopped', async (t) => {
    const stopped = watching(t);
    const running = watching(t);
    await ready(stopped.watched);
    await ready(running.watched);
    await stopped.watched.stop();
    const added = fresh();
    await createClass(added);
    await sees(running.watched, added);
    assert.equal(has(stopped.watched, added), false);
    assert.deepEqual(stopped.log.lines, []);
  });

  test('looks up single objects live', async (t) => {
    const name = fresh();
    await createClass(name);
    const { connection } = watching(t);
    const counts: string[] = [];
    const lookUp = liveLookup({ connection, counted: (source, result) => counts.push(`${source} ${result}`) });
    const { signal } = new AbortController();
    const [found, absent] = await lookUp(
      [
        { kind: 'StorageClass', namespace: '', name },
        { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'nothing' },
      ],
      signal,
    );
    assert.equal(found?.found.known && found.kind === 'StorageClass' && found.found.value?.name, name);
    assert.deepEqual(absent?.found, { known: true, value: undefined });
    assert.deepEqual(counts.toSorted(), ['live absent', 'live found']);
  });
});
