import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { forecast } from '../../src/forecast/outcome.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { WorkloadKind } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { type SeenOutcomes, seen } from './causes.ts';

const ONCE = 'ReadWriteOnce';
const itself = {
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
    ],
  },
};

interface Scene {
  readonly spec?: JsonObject;
  readonly pod?: JsonObject;
  readonly accessMode?: string;
  /** Where its pods run now. */
  readonly places?: readonly string[];
  readonly cordoned?: readonly string[];
}

/** A workload on three nodes whose pods share the claim `data`. */
function outcomes(
  kind: WorkloadKind,
  { spec = {}, pod = {}, accessMode = ONCE, places, cordoned = [] }: Scene,
): SeenOutcomes {
  const state = new ClusterState();
  for (const name of ['a', 'b', 'c']) {
    const labels = { 'kubernetes.io/hostname': name };
    putObject(state, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: { unschedulable: cordoned.includes(name) },
    });
  }
  const driver = 'disk.example.com';
  putObject(state, { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: driver } });
  putObject(state, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'disk' },
    provisioner: driver,
  });
  putObject(state, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'data' },
    spec: { accessModes: [accessMode], storageClassName: 'disk' },
  });
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }], ...pod },
  };
  const run = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
  const workload = workloadFrom(kind, { metadata: { namespace: 'shop', name: 'web' }, spec: { ...run, ...spec } });
  const { facts } = gatherFacts(workload, state, storageMatrix(), new Budget());
  return seen(forecast(facts, { places: places && new Set(places) })).certain;
}

test('a pod that has gone holds nobody by affinity, so its volume may have to move', () => {
  const { rollout } = outcomes('Deployment', { spec: { strategy: { type: 'Recreate' } }, pod: { affinity: itself } });
  assert.deepEqual([rollout.multiAttach, rollout.stuck], [true, false]);
});

test('a ReadWriteOncePod volume may have to move too, once its pod has gone', () => {
  const { rollout } = outcomes('StatefulSet', { accessMode: 'ReadWriteOncePod' });
  assert.deepEqual([rollout.multiAttach, rollout.stuck], [true, false]);
});

test('a StatefulSet of several pods on one plain claim is stuck, one pod of it is not', () => {
  assert.equal(outcomes('StatefulSet', { spec: { replicas: 2 } }).steady.stuck, true);
  assert.equal(outcomes('StatefulSet', {}).steady.stuck, false);
});

test('a StatefulSet whose partition leaves every pod alone rolls nothing out', () => {
  const spec = { replicas: 2, updateStrategy: { rollingUpdate: { partition: 2 } } };
  assert.deepEqual(outcomes('StatefulSet', { spec }).rollout, { multiAttach: false, stuck: false, reasons: [] });
});

test('the pods of a DaemonSet cannot all have a claim for one node', () => {
  const { steady } = outcomes('DaemonSet', {});
  assert.deepEqual([steady.multiAttach, steady.stuck], [true, true]);
});

test('a DaemonSet whose pods want to be together has one that runs, and nothing is attached twice', () => {
  const { steady } = outcomes('DaemonSet', { pod: { affinity: itself } });
  assert.deepEqual([steady.multiAttach, steady.stuck], [false, true]);
});

test('a DaemonSet that surges waits for a claim that takes one pod', () => {
  const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  const { rollout } = outcomes('DaemonSet', { spec: { updateStrategy }, accessMode: 'ReadWriteOncePod' });
  assert.deepEqual(rollout.reasons, [{ cause: 'one-pod', claims: ['data'] }]);
});

test('a Job runs as many pods as it may at once', () => {
  assert.equal(outcomes('Job', { spec: { parallelism: 2 } }).steady.stuck, true);
  assert.equal(outcomes('Job', { spec: { parallelism: 2, completions: 1 } }).steady.stuck, false);
});

test('runs of a CronJob get in each other’s way unless it forbids that', () => {
  const shared = (concurrencyPolicy: string) => outcomes('CronJob', { spec: { concurrencyPolicy } }).shared;
  assert.deepEqual(shared('Allow'), [
    { user: 'its next run', reasons: [{ cause: 'volume-elsewhere', claims: ['data'] }] },
  ]);
  assert.deepEqual(shared('Forbid'), []);
});

test('two runs of a CronJob that want one host port of one node are in each other’s way without any claim', () => {
  const containers = [{ name: 'web', ports: [{ hostPort: 80 }] }];
  const { shared } = outcomes('CronJob', { pod: { containers, nodeName: 'a' } });
  assert.deepEqual(shared, [{ user: 'its next run', reasons: [{ cause: 'no-node-left', claims: [] }] }]);
});

test('where the places of pods are known, today’s cordons count for new ones', () => {
  const rollout = (scene: Scene) => outcomes('Deployment', scene).rollout;
  assert.equal(rollout({ places: ['a'] }).multiAttach, true);
  assert.equal(rollout({ places: ['a'], cordoned: ['b', 'c'] }).stuck, false);
  const held = { pod: { affinity: itself }, places: ['a'] };
  assert.equal(rollout(held).stuck, false);
  assert.deepEqual(rollout({ ...held, cordoned: ['a'] }).reasons, [{ cause: 'no-node-left', claims: [] }]);
});

test('a claim for one pod moves once the old pod is gone, where that is not wanted any more', () => {
  const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: '100%' } };
  const { rollout } = outcomes('Deployment', { spec: { strategy }, accessMode: 'ReadWriteOncePod', places: ['a'] });
  assert.deepEqual([rollout.multiAttach, rollout.stuck], [true, false]);
});

test('a pod with a nodeName gets past the scheduler, and its ReadWriteOncePod volume is attached elsewhere', () => {
  const { rollout } = outcomes('Deployment', {
    pod: { nodeName: 'b' },
    accessMode: 'ReadWriteOncePod',
    places: ['a'],
  });
  assert.deepEqual(rollout.reasons, [{ cause: 'volume-elsewhere', claims: ['data'] }]);
});

test('a paused Deployment whose pods run is scaled all the same, and rolls nothing out', () => {
  const { rollout, steady } = outcomes('Deployment', { spec: { paused: true, replicas: 2 }, places: ['a'] });
  assert.deepEqual([steady.stuck, rollout.stuck], [true, false]);
  assert.equal(outcomes('Deployment', { spec: { paused: true, replicas: 2 } }).steady.stuck, false);
});
