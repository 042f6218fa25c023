import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import {
  APART,
  byZone,
  type Described,
  ELSEWHERE,
  foretold,
  heldTo,
  JOB,
  LOCAL,
  NO_NODE,
  node,
  PORT,
  REQUIRED,
  SELF,
  TOGETHER,
} from './scene.ts';

/** A DaemonSet on these nodes, and why not all its pods run. */
const everywhere: readonly (readonly [string, JsonObject, readonly string[], readonly unknown[]])[] = [
  ['shares a disk over two nodes', {}, ['a1', 'b1'], [ELSEWHERE]],
  ['has one node', {}, ['a1'], []],
  ['is held to one node', TOGETHER, ['a1', 'a2'], [NO_NODE]],
  ['is held to one zone, each with one node', byZone('podAffinity'), ['a1', 'b1'], [NO_NODE]],
  ['is held to one zone, one with two nodes', byZone('podAffinity'), ['a1', 'a2', 'b1'], [NO_NODE, ELSEWHERE]],
  ['is held to the only zone', byZone('podAffinity'), ['a1', 'a2'], [ELSEWHERE]],
  ['keeps apart by zone, each with one node', byZone('podAntiAffinity'), ['a1', 'b1'], [ELSEWHERE]],
  ['keeps apart by zone, one with two nodes', byZone('podAntiAffinity'), ['a1', 'a2', 'b1'], [NO_NODE, ELSEWHERE]],
  ['keeps apart by zone in the only one', byZone('podAntiAffinity'), ['a1', 'a2'], [NO_NODE]],
  ['keeps apart by node', APART, ['a1', 'a2'], [ELSEWHERE]],
];

for (const [name, pod, nodes, expected] of everywhere) {
  test(`a DaemonSet that ${name} ${expected.length === 0 ? 'runs' : 'does not run everywhere'}`, () => {
    assert.deepEqual(foretold({ kind: 'DaemonSet', pod }, { nodes }).certain.steady.reasons, expected);
  });
}

test('a DaemonSet on nodes that nobody can list shares its disk in the worst case only', () => {
  const { certain, possible } = foretold({ kind: 'DaemonSet' }, { unlisted: 'nodes' });
  assert.deepEqual(certain.steady.reasons, []);
  for (const { steady } of possible) assert.deepEqual(steady.reasons, [ELSEWHERE]);
  const byZones: Described = { kind: 'DaemonSet', pod: byZone('podAffinity') };
  assert.deepEqual(foretold(byZones, { unlisted: 'nodes' }).certain.steady.reasons, []);
});

test('a DaemonSet without volumes runs on every node, and one that is held to a neighbour does not', () => {
  const steady = (daemons: Described) =>
    foretold({ kind: 'DaemonSet', ...daemons }, { others: [JOB] }).certain.steady.reasons;
  assert.deepEqual(steady({ claims: [] }), []);
  assert.deepEqual(steady({ claims: ['data', 'more'], pod: heldTo('backup') }), [
    { cause: 'others-elsewhere', claims: [] },
  ]);
});

test('a DaemonSet whose volume will be made on one node runs on no other', () => {
  const daemons: Described = { kind: 'DaemonSet', claims: ['data', 'scratch'] };
  assert.deepEqual(foretold(daemons, { objects: LOCAL }).certain.steady.reasons, [
    { cause: 'out-of-reach', claims: ['scratch'] },
  ]);
});

test('a DaemonSet that replaces pods where they are waits for a port or a claim only where it surges', () => {
  const reasons = (maxSurge: number, pod: JsonObject) => {
    const updateStrategy = { rollingUpdate: { maxSurge, maxUnavailable: 1 - maxSurge } };
    return foretold({ kind: 'DaemonSet', pod, spec: { updateStrategy } }, { nodes: ['a1'] }).certain.rollout.reasons;
  };
  assert.deepEqual(reasons(0, PORT), []);
  assert.deepEqual(reasons(1, {}), []);
  assert.deepEqual(reasons(1, PORT), [NO_NODE]);
  const own = { ...SELF, matchLabelKeys: ['controller-revision-hash'] };
  assert.deepEqual(reasons(1, APART), [NO_NODE]);
  assert.deepEqual(reasons(1, { affinity: { podAntiAffinity: { [REQUIRED]: [own] } } }), []);
});

/** Whether the one pod of a DaemonSet on a node that got this taint keeps the volume from the next one, on the other node. */
function keepsItFromTheNext(taint: JsonObject): boolean {
  const daemons: Described = { kind: 'DaemonSet' };
  const around = { nodes: ['a1'], objects: [node('b1', { taints: [taint] })], places: ['b1'] };
  return foretold(daemons, { ...around, before: daemons }).certain.rollout.stuck;
}

test('a pod of a DaemonSet stays on a node that takes no new one, and leaves a node that evicts it', () => {
  assert.equal(keepsItFromTheNext({ key: 'gpu', effect: 'NoSchedule' }), true);
  assert.equal(keepsItFromTheNext({ key: 'gpu', effect: 'NoExecute' }), false);
});
