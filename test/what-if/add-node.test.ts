import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { rules } from '../../src/rules/index.ts';
import { ifNodeIsAdded } from '../../src/what-if/add-node.ts';
import { ZONE } from '../forecast/scene.ts';
import { clusterOf, pinnedTo, type Scene, WEB } from './scene.ts';

function added(scene: Scene, like?: string) {
  const { snapshot } = clusterOf(scene);
  const found = snapshot.workloadsIn('all');
  const workloads = found.known ? found.value : [];
  const { armed } = ifNodeIsAdded({ snapshot, workloads, matrix: storageMatrix(), rules, like });
  return armed.map((one) => `${one.finding.rule.id} ${one.finding.object.name} like ${one.like.join(', ')}`);
}

test('on the only node nothing can part, and a second one arms it', () => {
  assert.deepEqual(added({ nodes: ['a1'], objects: WEB }), ['rollout-deadlock web like a1']);
});

test('where there are several nodes one more arms nothing', () => {
  assert.deepEqual(added({ nodes: ['a1', 'a2'], objects: WEB }), []);
});

test('only a node that can use the volume arms it', () => {
  const scene = { nodes: ['a1', 'b1'], objects: pinnedTo(WEB, ZONE, 'a') };
  assert.deepEqual(added(scene), ['rollout-deadlock web like a1']);
  assert.deepEqual(added(scene, 'b1'), []);
});
