import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { reach } from '../../src/forecast/search.ts';
import { podCode, READY, type State, withAttached, withPod } from '../../src/forecast/state.ts';
import { disk } from './scene.ts';
import { type SmallCluster, smallWorld } from './small-cluster.ts';

const CLAIMING = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
const POOLS = { a: {}, b: {}, c: { labels: { pool: 'other' } } };
const alike: SmallCluster = {
  nodes: POOLS,
  objects: disk('data'),
  pod: { ...CLAIMING, nodeSelector: { pool: 'other' } },
  running: CLAIMING,
};

/** A pod on one node, with its volume attached to another. */
function stateOn(pod: string, volume: string): State {
  const { world, state } = smallWorld(alike);
  const at = (name: string) => world.cluster.names.indexOf(name);
  return withPod(withAttached(state, 0, at(volume)), 2, podCode(0, READY, at(pod)));
}

const told = (state: State) => smallWorld(alike).world.symmetry()?.(state);

test('nodes that are alike may be exchanged', () => {
  assert.equal(told(stateOn('a', 'a')), told(stateOn('b', 'b')));
  assert.equal(told(stateOn('a', 'b')), told(stateOn('b', 'a')));
});

test('what is on one node is not the same on two', () => {
  assert.notEqual(told(stateOn('a', 'a')), told(stateOn('a', 'b')));
});

test('nodes that are not alike may not be exchanged', () => {
  assert.notEqual(told(stateOn('a', 'a')), told(stateOn('c', 'c')));
});

test('a search that has become large looks at states that are alike once', () => {
  const step = (state: State): readonly State[] =>
    state.length < 12
      ? [
          [...state, 0],
          [...state, 1],
        ]
      : [];
  const sum = (state: State) => `${state.length} ${state.reduce((a, b) => a + b, 0)}`;
  const how = { isUrgent: () => false, isLast: () => false, operations: 1, budget: new Budget() };
  const search = { starts: [[]], atOnce: [], steps: [step], slow: [] };
  const [all, few] = [undefined, sum].map(
    (symmetry) => reach(search, { ...how, symmetry: () => symmetry }).states.length,
  );
  assert.ok((few ?? 0) < 200 && (all ?? 0) > 8000, `${few} of ${all} states`);
});
