import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleted } from '../../src/forecast/controllers/controller.ts';
import { endedUnseen } from '../../src/forecast/scheduler/scheduling-queue.ts';
import { classOf, phaseOf, READY, type State, TERMINATING, WAITING } from '../../src/forecast/state.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { HOST, REQUIRED, SELF } from './scene.ts';
import { smallWorld } from './small-cluster.ts';

/** Holds a pod to those of the revision before it. */
const HELD = { affinity: { podAffinity: { [REQUIRED]: [{ ...SELF, mismatchLabelKeys: ['pod-template-hash'] }] } } };
const SPREAD = {
  topologySpreadConstraints: [
    { ...SELF, topologyKey: HOST, maxSkew: 1, minDomains: 2, whenUnsatisfiable: 'DoNotSchedule' },
  ],
};
const ON_A = { nodeSelector: { [HOST]: 'a' } };

/** What comes of it that the first of the old pods is ended: who is there then, in words. */
function afterTheEnd(pod: JsonObject, on: readonly string[], isComing = true): readonly string[] {
  const { world, state } = smallWorld({ nodes: { a: {}, b: {} }, pod: { ...pod, ...ON_A }, running: {}, on });
  const from = isComing ? state : state.filter((code) => phaseOf(code) !== WAITING);
  const first = 2 * world.cluster.volumes.length;
  const end = (now: State) =>
    now
      .slice(first)
      .filter((code) => phaseOf(code) === READY)
      .slice(0, 1)
      .map((code) => deleted(now, first, code));
  return endedUnseen(end, world)(from).map((next) => next.slice(first).map(inWords).join(', ') || 'nobody');
}

function inWords(code: number): string {
  const phase = phaseOf(code);
  const does = phase === WAITING ? 'waits' : phase === TERMINATING ? 'goes' : 'runs';
  return `${classOf(code) === 0 ? 'old' : 'new'} ${does}`;
}

test('a pod that waits for a spread may be tried again when the one it is held to has gone', () => {
  assert.deepEqual(afterTheEnd({ ...HELD, ...SPREAD }, ['a']), ['old goes, new waits', 'new waits']);
});

test('a pod that is held to nobody misses nobody', () => {
  assert.deepEqual(afterTheEnd(SPREAD, ['a']), ['old goes, new waits']);
});

test('a pod that waits for no spread is tried before anybody goes', () => {
  assert.deepEqual(afterTheEnd(HELD, ['a']), ['old goes, new waits']);
});

test('a pod that some node takes is bound before anybody goes', () => {
  const [constraint] = SPREAD.topologySpreadConstraints;
  const wide = { topologySpreadConstraints: [{ ...constraint, maxSkew: 5 }] };
  assert.deepEqual(afterTheEnd({ ...HELD, ...wide }, ['a']), ['old goes, new waits']);
});

test('a pod misses none of several while one of them stays', () => {
  assert.deepEqual(afterTheEnd({ ...HELD, ...SPREAD }, ['a', 'a']), ['old runs, old goes, new waits']);
});

test('a pod that is still to come misses nobody', () => {
  assert.deepEqual(afterTheEnd({ ...HELD, ...SPREAD }, ['a'], false), ['old goes']);
});

test('where nobody goes nobody is missed', () => {
  assert.deepEqual(afterTheEnd({ ...HELD, ...SPREAD }, []), []);
});
