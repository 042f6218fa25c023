import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Described, disk, ELSEWHERE, foretold, HOST } from './scene.ts';

/*
 * Pods that share a disk, and each have one for themselves that only one node may have.
 */

/** The claim of this name on a disk for this node. */
function pinned(name: string, node: string): readonly JsonObject[] {
  const [volume, claim] = disk(name);
  const nodeSelectorTerms = [{ matchExpressions: [{ key: HOST, operator: 'In', values: [node] }] }];
  const csi = { driver: 'd', volumeHandle: name };
  const spec = { accessModes: ['ReadWriteOnce'], csi, nodeAffinity: { required: { nodeSelectorTerms } } };
  return [{ ...volume, spec }, claim ?? {}];
}

function set(name: string, replicas = 1): Described {
  return { kind: 'StatefulSet', name, spec: { replicas, volumeClaimTemplates: [{ metadata: { name: 'own' } }] } };
}

/** Why a pod of the one waits for one of the other that has the shared disk. */
function reasons(one: Described, other: Described, objects: readonly JsonObject[]) {
  return foretold(one, { others: [other], objects }).certain.shared.map(({ reasons: why }) => why);
}

test('pods of two StatefulSets that share a disk part where their own volumes are apart', () => {
  const [web, db] = [set('web'), set('db')];
  assert.deepEqual(reasons(web, db, [...pinned('own-web-0', 'a1'), ...pinned('own-db-0', 'b1')]), [[ELSEWHERE]]);
  assert.deepEqual(reasons(web, db, [...pinned('own-web-0', 'a1'), ...pinned('own-db-0', 'a1')]), []);
});

test('pods of a Deployment part from those of a StatefulSet of the same name', () => {
  assert.deepEqual(reasons({}, set('web'), pinned('own-web-0', 'a1')), [[ELSEWHERE]]);
});

test('one pod of a StatefulSet whose volume is elsewhere is enough to part them', () => {
  const steady = (...nodes: readonly string[]) => {
    const objects = nodes.flatMap((node, index) => pinned(`own-web-${index}`, node));
    return foretold(set('web', 3), { objects }).certain.steady.reasons;
  };
  assert.deepEqual(steady('a1', 'b1', 'b1'), [ELSEWHERE]);
  assert.deepEqual(steady('b1', 'b1', 'b1'), []);
});

test('the pods of one StatefulSet all keep off a node that is cordoned when they come', () => {
  const around = { before: set('web', 2), places: ['a1'], nodes: ['a1', 'b1'], objects: disk('own-web-0') };
  assert.deepEqual(foretold(set('web', 2), { ...around, cordoned: ['b1'] }).certain.steady.reasons, []);
  assert.deepEqual(foretold(set('web', 2), around).certain.steady.reasons, [ELSEWHERE]);
});

test('a pod that comes again takes its volume along, also to a node where another pod is, but to none that is cordoned', () => {
  const two: Described = { ...set('web', 2), claims: [] };
  const objects = [...disk('own-web-0'), ...disk('own-web-1')];
  const moves = (places: readonly string[], cordoned: readonly string[] = []) =>
    foretold(two, { before: two, nodes: ['a1', 'b1'], objects, places, cordoned }).certain.rollout.multiAttach;
  assert.equal(moves(['a1', 'b1']), true);
  assert.equal(moves(['a1']), true);
  assert.equal(moves(['a1'], ['b1']), false);
});
