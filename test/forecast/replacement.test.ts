import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Around, type Described, disk, foretold, HOST, heldTo, TOGETHER } from './scene.ts';

/*
 * What becomes of a volume when a pod has gone before the one that replaces it comes.
 */

/** A StatefulSet of which each pod has a volume of its own. */
function set({ spec = {}, ...described }: Described = {}): Described {
  return {
    kind: 'StatefulSet',
    claims: [],
    spec: { volumeClaimTemplates: [{ metadata: { name: 'own' } }], ...spec },
    ...described,
  };
}

/** Whether the volume of the first pod, which is there, may have to move. */
function moves(described: Described, around: Around = {}): boolean {
  const objects = [...disk('own-web-0'), ...(around.objects ?? [])];
  return foretold(set(described), { ...around, objects }).certain.rollout.multiAttach;
}

const onlyOn = (node: string): JsonObject => {
  const [volume] = disk('own-web-0');
  const terms = [{ matchExpressions: [{ key: HOST, operator: 'In', values: [node] }] }];
  const nodeAffinity = { required: { nodeSelectorTerms: terms } };
  return { ...volume, spec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'v' }, nodeAffinity } };
};

test('a pod’s own volume may have to move with it, unless only one node may have it', () => {
  assert.equal(moves({}), true);
  assert.equal(moves({}, { nodes: ['a1'] }), false);
  assert.equal(moves({}, { places: ['a1'] }), true);
  assert.equal(moves({}, { places: ['a1'], objects: [onlyOn('a1')] }), false);
});

test('a pod’s own volume may have to move to a node that is cordoned only for now, but not today', () => {
  const before = set({ pod: { nodeSelector: { [HOST]: 'a1' } } });
  const around = { nodes: ['a1', 'b1'], cordoned: ['b1'], before };
  assert.equal(moves({}, around), true);
  assert.equal(moves({}, { ...around, places: ['a1'] }), false);
});

test('pods that stay hold the one that is replaced, where there are any and affinity means their revision', () => {
  assert.equal(moves({ spec: { replicas: 2 }, pod: TOGETHER }), false);
  assert.equal(moves({ spec: { replicas: 1 }, pod: TOGETHER }), true);
  const ofOneRevision = heldTo('web', { matchLabelKeys: ['controller-revision-hash'] });
  assert.equal(moves({ spec: { replicas: 2 }, pod: ofOneRevision }), true);
});

test('a ReadWriteOncePod volume that a pod which stays has moves nowhere', () => {
  const pods = set({ claims: ['data'], spec: { replicas: 2 } });
  const { rollout } = foretold(pods, { objects: disk('data', 'ReadWriteOncePod') }).certain;
  assert.deepEqual([rollout.multiAttach, rollout.stuck], [false, true]);
});

test('nothing is certain to move while the nodes are not listed', () => {
  const recreate = { spec: { strategy: { type: 'Recreate' } } };
  assert.equal(foretold(recreate, { unlisted: 'nodes' }).certain.rollout.multiAttach, false);
});
