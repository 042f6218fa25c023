import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { Ignores } from '../../src/rules/configured-ignores.ts';
import { type ScanOptions, scan } from '../../src/scan/scan.ts';
import { boundClaim, pod, scannedObjects, storage, stored } from './cluster.ts';

const OPTIONS: ScanOptions = {
  cluster: { name: 'test', readAt: '2026-11-22T10:00:00Z' },
  namespace: undefined,
  matrix: storageMatrix(),
  stories: undefined,
  ignores: new Ignores([], '2026-11-22'),
  teamLabel: 'team',
};

function scanned(objects: readonly JsonObject[], options: Partial<ScanOptions> = {}) {
  return scan(scannedObjects(...objects), { ...OPTIONS, ...options });
}

const named = (report: ReturnType<typeof scanned>) =>
  report.findings.map(({ resource, rule }) => `${resource.kind}/${resource.name} ${rule.id}`);

test('what has struck comes first, then errors before warnings, each by name', () => {
  const report = scanned([
    ...storage('a', 'b', 'c'),
    ...stored({ name: 'b-shop', claims: ['b'] }),
    ...stored({ name: 'a-shop', claims: ['a'] }),
    ...stored({ name: 'c-shop', claims: ['c'], spec: { strategy: { rollingUpdate: { maxUnavailable: 1 } } } }),
    pod({ name: 'b-1', node: 'node-1', owner: ['ReplicaSet', 'b-shop-1'], claims: ['b'] }),
    pod({ name: 'b-2', node: 'node-2', phase: 'starting', owner: ['ReplicaSet', 'b-shop-1'], claims: ['b'] }),
  ]);
  assert.deepEqual(named(report), [
    'Deployment/b-shop rollout-deadlock',
    'Deployment/a-shop rollout-deadlock',
    'Deployment/c-shop rollout-transient',
  ]);
});

test('objects in another order make the same report', () => {
  const objects = [
    ...storage('a', 'b'),
    ...stored({ name: 'x', claims: ['a'] }),
    ...stored({ name: 'y', claims: ['b'] }),
  ];
  assert.deepEqual(scanned(objects.toReversed()), scanned(objects));
});

test('what a Deployment made is no second finding, and what has lost its maker is one', () => {
  const [deployment, replicaSet] = stored({ replicas: 2, spec: { strategy: { type: 'Recreate' } } });
  assert.ok(deployment !== undefined && replicaSet !== undefined);
  assert.deepEqual(named(scanned([...storage('data'), deployment, replicaSet])), ['Deployment/web replicas-split']);
  assert.deepEqual(named(scanned([...storage('data'), replicaSet])), ['ReplicaSet/web-1 replicas-split']);
});

test('one namespace is judged with what the others do to it', () => {
  const elsewhere = stored({ name: 'other' }).map((object) => ({
    ...object,
    metadata: { ...(object.metadata as object), namespace: 'blog' },
  }));
  const report = scanned([...storage('data'), ...stored(), ...elsewhere], { namespace: 'shop' });
  assert.deepEqual(named(report), ['Deployment/web rollout-deadlock']);
  assert.equal(report.cluster.namespace, 'shop');
  assert.equal(report.summary.workloads, 1);
});

test('of each namespace it is told what would be denied and warned of, and by whom', () => {
  const shared = [...stored({ name: 'x', claims: ['a'] }), ...stored({ name: 'late', claims: ['missing'] })];
  const { namespaces } = scanned([...storage('a'), ...shared]);
  assert.deepEqual(namespaces, [
    { name: 'shop', team: 'red', mode: 'default', workloads: 2, denied: 1, warned: 0, open: 1 },
  ]);
});

test('kube-system is told of, and nothing in it would be denied', () => {
  const text = JSON.stringify([...storage('a'), ...stored({ claims: ['a'] })]);
  const objects: JsonObject[] = JSON.parse(text.replaceAll('"shop"', '"kube-system"'));
  const { findings, namespaces } = scanned(objects);
  assert.equal(findings.length, 1);
  assert.deepEqual(
    namespaces.map(({ mode, denied }) => [mode, denied]),
    [['off', 0]],
  );
});

test('an exemption is told with its reason and its end, and one that has ended is a finding again', () => {
  const exempt = (until: string) =>
    scanned([
      ...storage('data'),
      ...stored({ metadata: { annotations: { 'rwo-guard.dev/ignore': `rollout-deadlock until=${until}: moved` } } }),
    ]);
  const { findings, exempt: told, summary } = exempt('2026-11-22');
  assert.deepEqual([findings, summary.ignored], [[], 1]);
  assert.deepEqual(
    told.map(({ resource, rules, reason, until }) => [resource.name, rules, reason, until]),
    [['web', ['rollout-deadlock'], 'moved', '2026-11-22']],
  );
  const ended = exempt('2026-11-21');
  assert.equal(ended.findings.length, 1);
  assert.deepEqual(ended.notes, ['Deployment shop/web: rwo-guard.dev/ignore does not count: it ended on 2026-11-21']);
});

test('what the configuration ignores is told like an exemption', () => {
  const ignores = new Ignores([{ rule: 'rollout-deadlock', name: 'w*', reason: 'known' }], '2026-11-22');
  const { findings, exempt } = scanned([...storage('data'), ...stored()], { ignores });
  assert.deepEqual([findings.length, exempt.map(({ reason }) => reason)], [0, ['known']]);
});

for (const [labels, isAskedFor] of [
  [{ 'rwo-guard.dev/mutate': 'auto' }, true],
  [{}, false],
] as const) {
  test(`what was repaired is told, and that its namespace ${isAskedFor ? 'asks' : 'no longer asks'} for it`, () => {
    const annotations = { 'rwo-guard.dev/mutated': 'recreate' };
    const { mutated } = scanned([
      ...storage('data'),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels } },
      ...stored({ metadata: { annotations }, spec: { strategy: { type: 'Recreate' } } }),
    ]);
    assert.deepEqual(
      mutated.map((one) => [one.resource.name, one.mutation, one.isAskedFor]),
      [['web', 'recreate', isAskedFor]],
    );
  });
}

test('claims are counted by the drivers of their volumes, most first', () => {
  const unbound = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'shop', name: 'new' } };
  const { cluster } = scanned([...storage('a', 'b'), { ...unbound, spec: { accessModes: ['ReadWriteOnce'] } }]);
  assert.deepEqual(cluster.claimsByDriver, [
    { driver: 'disk.example.com', claims: 2 },
    { driver: 'unbound', claims: 1 },
  ]);
});

test('a claim whose provisioner refuses its mode is found while it is unbound', () => {
  const provisioner = 'ebs.csi.aws.com';
  const report = scanned([
    ...storage(),
    ...boundClaim('bound', 'ReadWriteMany'),
    { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'ebs' }, provisioner },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'shop', name: 'many' },
      spec: { accessModes: ['ReadWriteMany'], storageClassName: 'ebs' },
    },
  ]);
  assert.deepEqual(named(report), ['PersistentVolumeClaim/many access-mode-unsupported']);
});

test('an empty cluster has an empty report', () => {
  const { findings, inconclusive, summary, namespaces } = scanned([]);
  assert.deepEqual([findings, inconclusive, namespaces], [[], [], []]);
  assert.equal(summary.objects, 0);
});

test('without pods nothing is said of what has come about', () => {
  const { state } = scannedObjects(...storage('data'), ...stored());
  const { findings } = scan({ state, pods: undefined, unseen: [], unreadable: [] }, OPTIONS);
  assert.deepEqual(
    findings.map(({ now }) => now),
    [undefined],
  );
});
