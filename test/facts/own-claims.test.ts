import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';

function statefulSet(spec: JsonObject = {}): JsonObject {
  const volumeClaimTemplates = [{ metadata: { name: 'data' } }, { metadata: { name: 'logs' } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace: 'shop', name: 'db' },
    spec: { replicas: 2, volumeClaimTemplates, ...spec },
  };
}

const job = (...claims: readonly string[]) =>
  workloadFrom('Job', {
    metadata: { namespace: 'shop', name: 'backup' },
    spec: {
      template: {
        spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
      },
    },
  });

/** The pods that a Job with these claims shares them with, by name, and which of them. */
function sharedBy(set: JsonObject, ...claims: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const state = new ClusterState();
  putObject(state, set);
  const { pods } = gatherFacts(job(...claims), state, storageMatrix(), new Budget()).facts.otherUsers;
  return Object.fromEntries(
    pods.map(({ workload, claims: held }) => [
      workload.template.labels.get(POD_NAME) ?? 'all',
      held.map(({ name }) => name),
    ]),
  );
}

test('a pod of a StatefulSet uses the claim that it has for itself', () => {
  assert.deepEqual(sharedBy(statefulSet(), 'data-db-1'), { 'db-1': ['data-db-1'] });
});

test('two claims of one pod are held by one, and those of two pods by two', () => {
  assert.deepEqual(sharedBy(statefulSet(), 'data-db-0', 'logs-db-0'), { 'db-0': ['data-db-0', 'logs-db-0'] });
  assert.deepEqual(sharedBy(statefulSet(), 'data-db-0', 'data-db-1'), {
    'db-0': ['data-db-0'],
    'db-1': ['data-db-1'],
  });
});

test('ordinals count from their start to as many as there are replicas', () => {
  const from5 = statefulSet({ ordinals: { start: 5 } });
  assert.deepEqual(sharedBy(from5, 'data-db-4', 'data-db-5', 'data-db-6', 'data-db-7'), {
    'db-5': ['data-db-5'],
    'db-6': ['data-db-6'],
  });
});

for (const claim of ['data-db', 'data-db-00', 'data-db-0-0', 'other-db-0', 'data-db2-0', 'data-db-x']) {
  test(`${claim} is no claim that a pod has for itself`, () => {
    assert.deepEqual(sharedBy(statefulSet(), claim), {});
  });
}

test('a claim that the pod template names as well is used by all pods', () => {
  const volumes = [{ name: 'shared', persistentVolumeClaim: { claimName: 'data-db-0' } }];
  assert.deepEqual(sharedBy(statefulSet({ template: { spec: { volumes } } }), 'data-db-0'), { all: ['data-db-0'] });
});

test('a StatefulSet is no other user of its own claims', () => {
  const volumes = [{ name: 'shared', persistentVolumeClaim: { claimName: 'data-db-0' } }];
  const set = statefulSet({ template: { spec: { volumes } } });
  const state = new ClusterState();
  putObject(state, set);
  const { facts } = gatherFacts(workloadFrom('StatefulSet', set), state, storageMatrix(), new Budget());
  assert.deepEqual(facts.otherUsers, { pods: [], unknown: [] });
});

test('the pod goes by the labels that its controller gives it', () => {
  const state = new ClusterState();
  putObject(state, statefulSet({ template: { metadata: { labels: { app: 'db' } } } }));
  const { pods } = gatherFacts(job('data-db-1'), state, storageMatrix(), new Budget()).facts.otherUsers;
  assert.deepEqual(
    pods.map(({ workload }) => [...workload.template.labels]),
    [
      [
        ['app', 'db'],
        [POD_NAME, 'db-1'],
        ['apps.kubernetes.io/pod-index', '1'],
      ],
    ],
  );
});

test('while StatefulSets are not listed, their pods may use any claim', () => {
  const state = new ClusterState((list) =>
    list === 'statefulsets'
      ? { known: false, because: 'statefulsets have not been listed yet' }
      : { known: true, value: true },
  );
  assert.deepEqual(state.workloadsMounting('shop', 'data-db-0'), {
    workloads: [],
    unknown: ['statefulsets have not been listed yet'],
  });
});

/** By pod, the claims that the StatefulSet's pods have for themselves, where these are there. */
function ownClaims(spec: JsonObject, ...claims: readonly string[]): readonly (readonly string[])[] {
  const state = new ClusterState();
  for (const name of claims) {
    const metadata = { namespace: 'shop', name };
    putObject(state, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: {} });
  }
  const { facts } = gatherFacts(workloadFrom('StatefulSet', statefulSet(spec)), state, storageMatrix(), new Budget());
  return facts.ownClaims.map((own) => own.map(({ name }) => name));
}

test('each pod of a StatefulSet has the claims of its ordinal that are there', () => {
  assert.deepEqual(ownClaims({}, 'data-db-0', 'logs-db-0', 'logs-db-1', 'data-db-2'), [
    ['data-db-0', 'logs-db-0'],
    ['logs-db-1'],
  ]);
  assert.deepEqual(ownClaims({ ordinals: { start: 5 } }, 'data-db-0', 'data-db-6'), [[], ['data-db-6']]);
  assert.deepEqual(ownClaims({}, 'data-db-2'), []);
});

test('of very many pods the first are looked at', () => {
  assert.equal(ownClaims({ replicas: 3000 }, 'data-db-0').length, 16);
});
