import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { causes, forecastOf, type Pods, REQUIRED, SELF, type Surroundings, TOGETHER, ZONE } from './scene.ts';

const RECREATE: JsonObject = { strategy: { type: 'Recreate' } };
const BY_ZONE = { affinity: { podAffinity: { [REQUIRED]: [{ ...SELF, topologyKey: ZONE }] } } };

/** Pods of another workload with our label, in the pool b. */
function other(pod: JsonObject = {}, { app = 'web', kind = 'Deployment' } = {}): JsonObject {
  const template = { metadata: { labels: { app } }, spec: { nodeSelector: { pool: 'b' }, ...pod } };
  return { apiVersion: 'apps/v1', kind, metadata: { namespace: 'shop', name: 'other' }, spec: { template } };
}

/** Whether the next pod in the pool a may be stranded, which has to be with others of its label. */
function strands(objects: readonly JsonObject[], pods: Pods = {}, surroundings: Surroundings = {}): boolean {
  const pod = { ...TOGETHER, nodeSelector: { pool: 'a' }, ...pods.pod };
  const found = forecastOf({ spec: RECREATE, ...pods, pod }, { ...surroundings, objects });
  return found.certain.rollout.stuck && causes(found).includes('others-elsewhere');
}

test('a pod that comes when none of its own runs has to be with those of others that its affinity means', () => {
  assert.equal(strands([other()]), true);
  assert.equal(strands([other({}, { app: 'db' })]), false);
  assert.equal(strands([other()], { pod: { affinity: {} } }), false);
});

test('others that are where it may be do not strand it', () => {
  assert.equal(strands([other({ nodeSelector: { pool: 'a' } })]), false);
  assert.equal(strands([other()], { pod: { nodeSelector: {} } }), false);
  assert.equal(strands([other({ nodeSelector: {} })]), true);
});

test('of several others one that cannot be elsewhere is enough', () => {
  const near = { ...other({ nodeSelector: { pool: 'a' } }), metadata: { namespace: 'shop', name: 'near' } };
  assert.equal(strands([other(), near]), false);
  const unmeant = { ...other({}, { app: 'db' }), metadata: { namespace: 'shop', name: 'db' } };
  assert.equal(strands([other(), unmeant]), true);
});

test('a DaemonSet has a pod on every node, so that one of those is where the pod may be', () => {
  assert.equal(strands([other({ nodeSelector: {} }, { kind: 'DaemonSet' })]), false);
  assert.equal(strands([other({}, { kind: 'DaemonSet' })]), true);
  assert.equal(strands([other({ nodeSelector: { pool: 'c' } }, { kind: 'DaemonSet' })]), false);
});

test('others that are held to its old pods, or hold its volume, are where those were', () => {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  assert.equal(strands([other(TOGETHER)]), false);
  assert.equal(strands([other({ volumes })]), false);
});

test('a pod that comes while an old one runs, or is going, is beside that', () => {
  const strategy = (maxSurge: number, maxUnavailable: number) => ({
    spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } },
  });
  assert.equal(strands([other()], strategy(1, 1)), false);
  assert.equal(strands([other()], strategy(0, 1)), false);
  assert.equal(strands([other()], strategy(1, 0)), false);
});

test('a zone is shared by all its nodes, and a node without one is in nobody’s', () => {
  const nodes = ['ax', 'bx', 'by'];
  const inPoolB = other();
  assert.equal(strands([inPoolB], { pod: BY_ZONE }, { nodes }), true);
  assert.equal(strands([inPoolB], { pod: BY_ZONE }, { nodes: ['ax', 'bx'] }), false);
  assert.equal(strands([inPoolB], { pod: BY_ZONE }, { nodes: ['ax', 'b1'] }), false);
});

test('while nodes or workloads are not listed, others may be anywhere, in the worst case only', () => {
  for (const unsynced of ['nodes', 'jobs'] as const) {
    const { certain, possible } = forecastOf({ spec: RECREATE, pod: TOGETHER }, { unsynced, objects: [other()] });
    assert.deepEqual(
      [certain, ...possible].map(({ rollout }) => rollout.stuck),
      [false, true, true],
    );
  }
  for (const unsynced of ['nodes', 'jobs'] as const) {
    const { possible } = forecastOf({ spec: RECREATE }, { unsynced });
    assert.deepEqual(
      possible.map(({ rollout }) => rollout.stuck),
      [false, false],
    );
  }
});

test('others of a namespace whose labels cannot be read strand it in the worst case only', () => {
  const term = { ...SELF, namespaceSelector: { matchLabels: { team: 'blue' } } };
  const pod = { nodeSelector: { pool: 'a' }, affinity: { podAffinity: { [REQUIRED]: [term] } } };
  const { certain, possible } = forecastOf({ spec: RECREATE, pod }, { objects: [other()] });
  assert.deepEqual(certain.rollout.stuck, false);
  assert.ok(possible.every(({ rollout }) => rollout.stuck));
});
