import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import {
  type Around,
  causes,
  type Described,
  foretold,
  HOST,
  POOL,
  REQUIRED,
  SELF,
  TOGETHER,
  unzoned,
  ZONE,
} from './scene.ts';

/*
 * Affinity of pods that means pods of other workloads too: a new pod may come to those while the volume is elsewhere, or, once
 * no pod of its own is there, has to.
 */

const RECREATE: JsonObject = { strategy: { type: 'Recreate' } };
const BY_ZONE = { affinity: { podAffinity: { [REQUIRED]: [{ ...SELF, topologyKey: ZONE }] } } };

/** Two nodes of the pool a, and one of the pool b. */
const NODES = ['ax1', 'ax2', 'by1'];

/** A workload in the pool b with the label of ours, unless it is told otherwise. */
function other(pod: JsonObject = {}, { namespace = 'shop', replicas = 1, app = 'web', kind = 'Deployment' } = {}) {
  const template = { metadata: { labels: { app } }, spec: { nodeSelector: { [POOL]: 'b' }, ...pod } };
  const spec = { ...(kind === 'Deployment' && { replicas }), template };
  return { apiVersion: 'apps/v1', kind, metadata: { namespace, name: 'other' }, spec };
}

const namespaced = (more: JsonObject): JsonObject => ({
  affinity: { podAffinity: { [REQUIRED]: [{ ...SELF, ...more }] } },
});

/** Whether a new pod may come to a node where it waits for the volume. */
function parts(objects: readonly JsonObject[], more: Around & { pod?: JsonObject } = {}) {
  const { pod = TOGETHER, ...around } = more;
  const found = foretold({ pod }, { nodes: NODES, ...around, objects });
  return causes(found).includes('volume-elsewhere');
}

test('affinity that means the pods of another workload too brings a new pod to those', () => {
  assert.equal(parts([]), false);
  assert.equal(parts([other()]), true);
});

test('pods of another label, or of a workload that runs none, bring no new pod to theirs', () => {
  assert.equal(parts([other({}, { app: 'db' })]), false);
  assert.equal(parts([other({}, { replicas: 0 })]), false);
});

test('affinity to pods of the same revision means none of another workload', () => {
  const split = (more: JsonObject): boolean => {
    const pods = { pod: namespaced(more), replicas: 2, spec: { strategy: { type: 'Recreate' } } };
    return foretold(pods, { nodes: NODES, objects: [other()] }).certain.steady.stuck;
  };
  assert.equal(split({}), true);
  assert.equal(split({ matchLabelKeys: ['pod-template-hash'] }), false);
});

test('pods on nodes where ours may not be, or where ours are, bring no new pod elsewhere', () => {
  assert.equal(parts([other()], { pod: { ...TOGETHER, nodeSelector: { [POOL]: 'a' } } }), false);
  assert.equal(parts([other()], { places: ['by1'] }), false);
  assert.equal(parts([other()], { places: ['ax1'] }), true);
});

test('pods on a node that is cordoned today bring no new pod there today', () => {
  const metadata = { name: 'by1', labels: { [HOST]: 'by1', [POOL]: 'b' } };
  const cordoned = { apiVersion: 'v1', kind: 'Node', metadata, spec: { unschedulable: true } };
  assert.equal(parts([other(), cordoned], { places: ['ax1'] }), false);
  assert.equal(parts([other(), cordoned]), true);
});

test('pods that are held to ours bring no new pod to theirs, nor do those that hold our volume', () => {
  assert.equal(parts([other(TOGETHER)]), false);
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  assert.equal(parts([other({ volumes })]), false);
  assert.equal(
    parts([other({ volumes }, { namespace: 'stage' })], { pod: namespaced({ namespaces: ['shop', 'stage'] }) }),
    true,
  );
});

test('what holds our volume is where that is, also where only a zone holds pods together', () => {
  const around = { pod: namespaced({ topologyKey: ZONE }), places: ['ax1'], nodes: ['ax1', 'by1', 'by2'] };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  assert.equal(parts([other({ nodeSelector: {} })], around), true);
  assert.equal(parts([other({ nodeSelector: {}, volumes })], around), false);
});

test('a workload of another kind is another one, whatever its name', () => {
  const metadata = { namespace: 'shop', name: 'web' };
  assert.equal(parts([{ ...other(), metadata }]), false);
  assert.equal(parts([{ ...other(), metadata, kind: 'StatefulSet' }]), true);
});

test('pods on nodes that are not listed may bring a new pod elsewhere, in the worst case only', () => {
  const rollouts = (objects: readonly JsonObject[]) => {
    const { certain, possible } = foretold({ pod: TOGETHER }, { nodes: NODES, unlisted: 'nodes', objects });
    return [certain, ...possible].map(({ rollout }) => rollout.stuck);
  };
  assert.deepEqual(rollouts([]), [false, false, false]);
  assert.deepEqual(rollouts([other()]), [false, true, true]);
});

test('pods of another namespace bring a new pod to theirs where the term names it or selects all', () => {
  const elsewhere = [other({}, { namespace: 'stage' })];
  assert.equal(parts(elsewhere), false);
  assert.equal(parts(elsewhere, { pod: namespaced({ namespaces: ['shop', 'stage'] }) }), true);
  assert.equal(parts(elsewhere, { pod: namespaced({ namespaceSelector: {} }) }), true);
});

test('where workloads are not listed, or are very many, it is open whom the affinity means', () => {
  const unlisted = foretold({ pod: TOGETHER }, { unlisted: 'jobs' });
  assert.deepEqual(unlisted.certain.rollout.reasons, []);
  assert.ok(unlisted.open.includes('jobs are not listed'));
  const many = Array.from({ length: 1_001 }, (_, index) => {
    const { metadata, ...rest } = other();
    return { ...rest, metadata: { ...(metadata as JsonObject), name: `other-${index}` } };
  });
  assert.deepEqual(foretold({ pod: TOGETHER }, { objects: many }).open, ['more than 1000 workloads may be meant']);
  const few = ['more than 8 workloads may keep its pods off nodes'];
  assert.deepEqual(foretold({ pod: TOGETHER }, { objects: many.slice(0, 9) }).open, few);
  assert.deepEqual(foretold({ pod: TOGETHER }, { objects: many.slice(0, 8) }).open, []);
  assert.deepEqual(foretold({}, { objects: many }).open, []);
});

test('a topology of zones brings a new pod to theirs as the hostname does', () => {
  const zone = namespaced({ topologyKey: ZONE });
  const nodes = ['ax1', 'by1'];
  assert.equal(parts([], { pod: zone, nodes }), false);
  assert.equal(parts([other()], { pod: zone, nodes }), true);
});

/** Whether the next pod in the pool a may have to be with others of its label that are elsewhere. */
function staysPending(objects: readonly JsonObject[], pods: Described = {}, around: Around = {}): boolean {
  const pod = { ...TOGETHER, nodeSelector: { [POOL]: 'a' }, ...pods.pod };
  const found = foretold({ spec: RECREATE, ...pods, pod }, { nodes: NODES, ...around, objects });
  return found.certain.rollout.stuck && causes(found).includes('others-elsewhere');
}

test('a pod that comes when none of its own runs has to be with those of others that its affinity means', () => {
  assert.equal(staysPending([other()]), true);
  assert.equal(staysPending([other({}, { app: 'db' })]), false);
  assert.equal(staysPending([other()], { pod: { affinity: {} } }), false);
});

test('a pod joins others that are where it may be', () => {
  assert.equal(staysPending([other({ nodeSelector: { [POOL]: 'a' } })]), false);
  assert.equal(staysPending([other()], { pod: { nodeSelector: {} } }), false);
  assert.equal(staysPending([other({ nodeSelector: {} })]), true);
});

test('of several others one that cannot be elsewhere is enough', () => {
  const near = { ...other({ nodeSelector: { [POOL]: 'a' } }), metadata: { namespace: 'shop', name: 'near' } };
  assert.equal(staysPending([other(), near]), false);
  const unmeant = { ...other({}, { app: 'db' }), metadata: { namespace: 'shop', name: 'db' } };
  assert.equal(staysPending([other(), unmeant]), true);
});

test('a DaemonSet has a pod on every node, so that one of those is where the pod may be', () => {
  assert.equal(staysPending([other({ nodeSelector: {} }, { kind: 'DaemonSet' })]), false);
  assert.equal(staysPending([other({}, { kind: 'DaemonSet' })]), true);
  assert.equal(staysPending([other({ nodeSelector: { [POOL]: 'c' } }, { kind: 'DaemonSet' })]), false);
});

test('others that are held to its old pods are where those were', () => {
  const anywhere = { nodeSelector: {} };
  assert.equal(staysPending([other(anywhere)]), true);
  assert.equal(staysPending([other({ ...anywhere, ...TOGETHER })]), false);
});

test('a pod that comes while an old one runs, or is going, is beside that', () => {
  const strategy = (maxSurge: number, maxUnavailable: number) => ({
    spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } },
  });
  assert.equal(staysPending([other()], strategy(1, 1)), false);
  assert.equal(staysPending([other()], strategy(0, 1)), false);
  assert.equal(staysPending([other()], strategy(1, 0)), false);
});

test('a zone is shared by all its nodes, and a node without one is in nobody’s', () => {
  const nodes = ['ax', 'bx', 'by'];
  const inPoolB = other();
  assert.equal(staysPending([inPoolB], { pod: BY_ZONE }, { nodes }), true);
  assert.equal(staysPending([inPoolB], { pod: BY_ZONE }, { nodes: ['ax', 'bx'] }), false);
  assert.equal(staysPending([inPoolB, unzoned('other', { [POOL]: 'b' })], { pod: BY_ZONE }, { nodes: ['ax'] }), false);
});

test('while nodes or workloads are not listed, others may be anywhere, in the worst case only', () => {
  for (const unlisted of ['nodes', 'jobs'] as const) {
    const { certain, possible } = foretold(
      { spec: RECREATE, pod: TOGETHER },
      { nodes: NODES, unlisted, objects: [other()] },
    );
    assert.deepEqual(
      [certain, ...possible].map(({ rollout }) => rollout.stuck),
      [false, true, true],
    );
  }
  for (const unlisted of ['nodes', 'jobs'] as const) {
    const { possible } = foretold({ spec: RECREATE }, { unlisted });
    assert.deepEqual(
      possible.map(({ rollout }) => rollout.stuck),
      [false, false],
    );
  }
});

test('others of a namespace whose labels cannot be read keep it Pending in the worst case only', () => {
  const term = { ...SELF, namespaceSelector: { matchLabels: { team: 'blue' } } };
  const pod = { nodeSelector: { [POOL]: 'a' }, affinity: { podAffinity: { [REQUIRED]: [term] } } };
  const { certain, possible } = foretold({ spec: RECREATE, pod }, { nodes: NODES, objects: [other()] });
  assert.deepEqual(certain.rollout.stuck, false);
  assert.ok(possible.every(({ rollout }) => rollout.stuck));
});
