import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { ListName } from '../../src/objects/kinds.ts';
import { idOf } from '../../src/objects/object-key.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

function mounting(name: string, claims: readonly string[], spec: JsonObject = {}): JsonObject {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'shop', name },
    spec: { ...spec, template: { spec: { volumes } } },
  };
}

function bound(name: string, volumeName: string, accessMode = 'ReadWriteOnce'): readonly JsonObject[] {
  const spec = { accessModes: [accessMode], csi: { driver: 'd', volumeHandle: 'one' } };
  const metadata = { namespace: 'shop', name };
  return [
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: { volumeName, accessModes: [accessMode] } },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volumeName },
      spec: { ...spec, claimRef: metadata },
    },
  ];
}

/** The facts of the Deployment `web` with these claims. */
function gathered(claims: readonly string[], objects: readonly JsonObject[], unlisted?: ListName) {
  const state = new ClusterState((list) => (list === unlisted ? unknown(`${list} are not listed`) : known(true)));
  const web = mounting('web', claims);
  for (const object of [...objects, web]) putObject(state, object);
  return gatherFacts(workloadFrom('Deployment', web), state, storageMatrix(), new Budget()).facts;
}

test('two claims of one disk are two, for both are to blame', () => {
  const { claims } = gathered(['data', 'copy'], [...bound('data', 'v'), ...bound('copy', 'w')]);
  assert.deepEqual(
    claims.map(({ name, identity }) => [name, identity]),
    [
      ['data', 'disk d^one'],
      ['copy', 'disk d^one'],
    ],
  );
});

test('a workload is no other user of its claim, and those without pods are none', () => {
  const idle = mounting('idle', ['data'], { replicas: 0 });
  const { otherUsers } = gathered(['data'], [mounting('backup', ['data']), idle, mounting('blog', ['posts'])]);
  assert.deepEqual(
    otherUsers.pods.map(({ workload }) => workload.metadata.name),
    ['backup'],
  );
});

test('of very many users of one claim sixteen are looked at', () => {
  const many = Array.from({ length: 20 }, (_, n) => mounting(`w${n}`, ['data']));
  assert.equal(gathered(['data'], many).otherUsers.pods.length, 16);
});

test('kinds that cannot be listed are named, once, as whoever may use the claims too', () => {
  const { otherUsers } = gathered(['data', 'more'], [], 'jobs');
  assert.deepEqual(otherUsers.unknown, ['jobs are not listed']);
});

test('nobody asks who else uses a claim that everybody may use', () => {
  const { otherUsers } = gathered(
    ['data'],
    [...bound('data', 'v', 'ReadWriteMany'), mounting('other', ['data'])],
    'jobs',
  );
  assert.deepEqual(otherUsers, { pods: [], unknown: [] });
});

test('other workloads that run pods are near where affinity may mean them', () => {
  const labelSelector = { matchLabels: { app: 'web' } };
  const podAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: 'kubernetes.io/hostname' }],
  };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const template = { metadata: { labels: { app: 'web' } }, spec: { affinity: { podAffinity }, volumes } };
  const [web, other] = ['web', 'other'].map((name) => ({
    ...mounting(name, []),
    spec: { template: { metadata: { labels: { app: 'web' } } } },
  }));
  assert.ok(web && other);
  const unlike = mounting('unlike', []);
  const held = { ...web, spec: { template } };
  const idle = mounting('idle', [], { replicas: 0 });
  const elsewhere = { ...other, metadata: { namespace: 'blog', name: 'elsewhere' } };
  const nearby = (object: JsonObject, unlisted?: ListName) => {
    const state = new ClusterState((list) => (list === unlisted ? unknown(`${list} are not listed`) : known(true)));
    for (const each of [object, other, idle, unlike, elsewhere]) putObject(state, each);
    const { facts } = gatherFacts(workloadFrom('Deployment', object), state, storageMatrix(), new Budget());
    return { pods: facts.nearby.pods.map(({ workload }) => workload.metadata.name), unknown: facts.nearby.unknown };
  };
  assert.deepEqual(nearby(held), { pods: ['other'], unknown: [] });
  assert.deepEqual(nearby(web), { pods: [], unknown: [] });
  assert.deepEqual(nearby(held, 'jobs'), { pods: [], unknown: ['jobs are not listed'] });
});

test('an object without a namespace is known by its kind and its name alone', () => {
  assert.equal(idOf({ kind: 'PersistentVolume', namespace: '', name: 'v' }), 'PersistentVolume v');
  assert.equal(idOf({ kind: 'Job', namespace: 'shop', name: 'v' }), 'Job shop/v');
});

test('a namespace that is not there is asked for, and its labels are unknown', () => {
  const { facts, missed } = gatherFacts(
    workloadFrom('Deployment', mounting('web', [])),
    new ClusterState(),
    storageMatrix(),
    new Budget(),
  );
  assert.deepEqual(facts.namespaceLabels, unknown('namespace shop does not exist'));
  assert.deepEqual(missed, [{ kind: 'Namespace', namespace: '', name: 'shop' }]);
});

test('of several autoscalers the one that may ask for most counts', () => {
  const scaler = (name: string, maxReplicas: number): JsonObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas },
  });
  assert.deepEqual(gathered([], [scaler('a', 3), scaler('b', 5), scaler('c', 4)]).autoscaledTo, known(5));
  assert.deepEqual(gathered([], []).autoscaledTo, known(0));
});

for (const [written, fewest, counted] of [
  [1, 3, 3],
  [5, 3, 5],
  [0, 3, 0],
] as const) {
  test(`of ${written} replicas an autoscaler that keeps at least ${fewest} makes ${counted}`, () => {
    const scaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { namespace: 'shop', name: 'web' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: fewest, maxReplicas: 9 },
    };
    const state = new ClusterState();
    putObject(state, scaler);
    const deployment = { metadata: { namespace: 'shop', name: 'web' }, spec: { replicas: written } };
    const { facts } = gatherFacts(workloadFrom('Deployment', deployment), state, storageMatrix(), new Budget());
    assert.equal(facts.workload.replicas, counted);
  });
}
