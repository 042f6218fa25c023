import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import {
  APART,
  type Around,
  byZone,
  type Described,
  disk,
  ELSEWHERE,
  foretold,
  LOCAL,
  NO_NODE,
  ONE_POD,
  PORT,
  SELF,
  TOGETHER,
  TOO_FEW,
  ZONE,
} from './scene.ts';

const scaler = (maxReplicas: number): JsonObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { namespace: 'shop', name: 'web' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas },
});
test('an autoscaler counts where it may ask for more than there are', () => {
  const autoscaled = (replicas: number, max: number) =>
    foretold({ spec: { replicas } }, { objects: [scaler(max)] }).certain.autoscaled;
  assert.deepEqual(autoscaled(1, 3), {
    replicas: 3,
    outcome: { multiAttach: true, stuck: true, reasons: [ELSEWHERE] },
  });
  assert.equal(autoscaled(3, 3), undefined);
  assert.equal(autoscaled(1, 0), undefined);
});

test('an autoscaler that nobody can look up asks for one more, in the worst case only', () => {
  const { certain, possible } = foretold({}, { unlisted: 'horizontalpodautoscalers' });
  assert.equal(certain.autoscaled, undefined);
  assert.deepEqual(
    possible.map(({ autoscaled }) => autoscaled?.replicas),
    [2, 2],
  );
});

test('what is not known of the pods that run is an open question too', () => {
  const { open } = foretold({}, { before: { claims: ['gone'] } });
  assert.deepEqual(open, ['claim shop/gone does not exist yet']);
});

test('a suspended Job starts no pods, whatever runs of it', () => {
  const spec = { parallelism: 2, suspend: true };
  assert.equal(foretold({ kind: 'Job', spec }, { places: ['a1'] }).certain.steady.stuck, false);
});

test('where the pods are known, the rollout in question is looked at and none after it', () => {
  const around: Around = { before: { claims: ['data'] } };
  const causes = (more: Around) => foretold({ claims: ['more'] }, { ...around, ...more }).certain.rollout.reasons;
  assert.deepEqual(causes({ places: ['a1'] }), []);
  assert.deepEqual(causes({}), [{ cause: 'volume-elsewhere', claims: ['more'] }]);
});

test('all pods of a StatefulSet have to run at once, also those below its partition', () => {
  const set: Described = {
    kind: 'StatefulSet',
    spec: { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } },
  };
  assert.equal(foretold(set).certain.steady.stuck, true);
  assert.equal(foretold(set, { before: set }).certain.steady.stuck, true);
});

test('as many pods as nodes have room for a host port each', () => {
  const steady = (...nodes: readonly string[]) =>
    foretold({ claims: [], pod: PORT, spec: { replicas: 2 } }, { nodes }).certain.steady.reasons;
  assert.deepEqual(steady('a1', 'b1'), []);
  assert.deepEqual(steady('a1'), [NO_NODE]);
  assert.deepEqual(
    foretold({ claims: [], pod: PORT, spec: { replicas: 3 } }, { nodes: ['a1', 'b1'] }).certain.steady.reasons,
    [TOO_FEW],
  );
});

test('a cordon passes, and counts only for pods that come while others are where they are', () => {
  const around = { nodes: ['a1', 'b1'], cordoned: ['b1'] };
  const recreate = { spec: { strategy: { type: 'Recreate' } } };
  assert.equal(foretold({ spec: { replicas: 2 } }, around).certain.steady.stuck, true);
  assert.equal(foretold({ spec: { replicas: 2 } }, { ...around, places: ['a1'] }).certain.steady.stuck, false);
  assert.equal(foretold(recreate, around).certain.rollout.multiAttach, true);
  assert.equal(foretold(recreate, { ...around, places: ['a1'] }).certain.rollout.multiAttach, false);
});

test('replicas to come leave those that are on a cordoned node', () => {
  const around = { nodes: ['a1', 'b1'], cordoned: ['b1'], places: ['b1'] };
  assert.equal(foretold({ spec: { replicas: 2 } }, around).certain.steady.stuck, true);
});

test('where every node is cordoned today it is no fault of the volume that a new pod has nowhere to go', () => {
  const { rollout } = foretold({}, { nodes: ['a1', 'b1'], cordoned: ['a1', 'b1'], places: ['a1'] }).certain;
  assert.deepEqual(rollout.reasons, []);
});

test('a pod that finds its zone taken never gets so far as its volume, and where there are two zones it may', () => {
  const rollout = (described: Described, around: Around) =>
    foretold({ pod: byZone('podAntiAffinity'), ...described }, { nodes: ['a1', 'a2'], ...around }).certain.rollout
      .reasons;
  assert.deepEqual(rollout({}, { places: ['a1'] }), [NO_NODE]);
  assert.deepEqual(rollout({}, {}), [NO_NODE]);
  assert.deepEqual(rollout({ spec: { replicas: 3 } }, { nodes: ['a1', 'a2', 'b1'] }), [TOO_FEW, ELSEWHERE]);
  const inZone = { pod: { ...byZone('podAntiAffinity'), nodeSelector: { [ZONE]: 'a' } } };
  const before = { pod: byZone('podAntiAffinity') };
  assert.deepEqual(rollout(inZone, { nodes: ['a1', 'a2', 'b1'], before }), [NO_NODE, ELSEWHERE]);
});

test('a pod with a nodeName waits for a ReadWriteOncePod volume that is attached, or for the pod that has it', () => {
  const bound: Described = { claims: ['data', 'more'], pod: { nodeName: 'b1' } };
  const objects = [...disk('data', 'ReadWriteOncePod'), ...disk('more', 'ReadWriteMany')];
  assert.deepEqual(foretold(bound, { objects, places: ['a1'] }).certain.rollout.reasons, [ELSEWHERE]);
  const driver = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'd' },
    spec: { attachRequired: false },
  };
  const before: Described = { claims: ['data', 'more'] };
  assert.deepEqual(foretold(bound, { objects: [...objects, driver], before }).certain.rollout.reasons, [ONE_POD]);
  assert.deepEqual(foretold(bound, { objects, unlisted: 'nodes' }).certain.rollout.reasons, [ONE_POD]);
});

test('a pod that mounts one ReadWriteOncePod disk by two claims keeps both from the next', () => {
  const [volume, claim] = disk('twin', 'ReadWriteOncePod');
  const csi = { driver: 'd', volumeHandle: 'data' };
  const twin = { ...volume, spec: { accessModes: ['ReadWriteOncePod'], csi } };
  const objects = [...disk('data', 'ReadWriteOncePod'), twin, claim ?? {}];
  const { steady } = foretold({ claims: ['data', 'twin'], spec: { replicas: 2 } }, { objects }).certain;
  assert.deepEqual(steady.reasons, [{ cause: 'one-pod', claims: ['data', 'twin'] }]);
});

test('pods that are held together by zone may part on nodes that nobody can list, in the worst case only', () => {
  const { certain, possible } = foretold({ pod: byZone('podAffinity') }, { unlisted: 'nodes' });
  assert.deepEqual(certain.rollout.reasons, []);
  for (const { rollout } of possible) assert.deepEqual(rollout.reasons, [ELSEWHERE]);
});

test('pods that are held together stay so on nodes that nobody can list, unless they are spread over those', () => {
  const spread = { topologySpreadConstraints: [{ ...SELF, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] };
  const reasons = (pod: JsonObject) =>
    foretold({ pod }, { unlisted: 'nodes' }).possible.map(({ rollout }) => rollout.reasons);
  assert.deepEqual(reasons(TOGETHER), [[], []]);
  assert.deepEqual(reasons({ ...TOGETHER, ...spread }), [[NO_NODE], [NO_NODE]]);
});

test('while the nodes are not listed, pods that are held together and kept apart are not certain to find none', () => {
  const pod = { affinity: { ...TOGETHER.affinity, ...APART.affinity } };
  assert.deepEqual(foretold({ pod }, { unlisted: 'nodes' }).certain.rollout.reasons, []);
});

/** A claim of which the volume is in one zone. */
function inZone(name: string, zone: string): readonly JsonObject[] {
  const [volume, claim] = disk(name);
  return [{ ...volume, metadata: { name, labels: { [ZONE]: zone } } }, claim ?? {}];
}

test('a pod that has to join the old one cannot where its volumes are of another zone', () => {
  const objects = [...inZone('a', 'a'), ...inZone('b', 'b')];
  const rollout = (before: readonly string[], ...claims: readonly string[]) =>
    foretold({ pod: TOGETHER, claims }, { before: { pod: TOGETHER, claims: before }, objects }).certain.rollout.reasons;
  assert.deepEqual(rollout(['a'], 'a'), []);
  assert.deepEqual(rollout(['a'], 'b'), [NO_NODE]);
  assert.deepEqual(rollout(['data', 'a'], 'data', 'b'), [NO_NODE]);
  assert.deepEqual(rollout(['data'], 'data', 'b'), [NO_NODE]);
});

test('pods that are held together may all be missing, and the volume does not move while they overlap', () => {
  const spec = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: '100%' } } };
  const { rollout } = foretold({ spec, pod: TOGETHER }).certain;
  assert.deepEqual([rollout.multiAttach, rollout.stuck], [false, false]);
});

test('pods held by zone and kept apart by zone have nowhere to go', () => {
  const affinity = { ...asObject(byZone('podAffinity').affinity), ...asObject(byZone('podAntiAffinity').affinity) };
  for (const nodes of [
    ['a1', 'a2'],
    ['a1', 'a2', 'b1', 'b2'],
  ]) {
    assert.deepEqual(foretold({ pod: { affinity } }, { nodes }).certain.rollout.reasons, [NO_NODE]);
  }
});

function asObject(value: unknown): JsonObject {
  return { ...(typeof value === 'object' ? value : {}) };
}

test('of two reasons to keep apart the narrower one counts', () => {
  const pod = { ...PORT, ...byZone('podAntiAffinity') };
  const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  const spec = { replicas: 2, strategy };
  assert.deepEqual(foretold({ claims: [], pod, spec }, { nodes: ['a1', 'a2'] }).certain.rollout.reasons, [NO_NODE]);
});

test('a volume that will be made on one node keeps all its pods there, with room for one host port', () => {
  const rollout = (pod: JsonObject, ...claims: readonly string[]) =>
    foretold({ claims, pod }, { objects: LOCAL }).certain.rollout.reasons;
  assert.deepEqual(rollout({}, 'scratch'), []);
  assert.deepEqual(rollout({}, 'data', 'scratch'), []);
  assert.deepEqual(rollout(byZone('podAffinity'), 'scratch', 'data'), []);
  assert.deepEqual(rollout(PORT, 'data', 'scratch'), [{ ...NO_NODE, claims: ['scratch'] }]);
  assert.deepEqual(rollout({ nodeSelector: { [ZONE]: 'none' } }, 'scratch'), []);
});
