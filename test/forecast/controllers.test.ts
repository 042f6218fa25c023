import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Described, foretold, TOGETHER } from './scene.ts';

/** What becomes of a StatefulSet whose two pods share a volume and are apart, when an update holds them together. */
function broughtTogether(spec: JsonObject): boolean {
  const before: Described = { kind: 'StatefulSet', replicas: 2, spec };
  return !foretold({ ...before, pod: TOGETHER }, { before, places: ['a1', 'b1'] }).certain.rollout.stuck;
}

test('a StatefulSet replaces no pod while one of them waits', () => {
  assert.equal(broughtTogether({}), false);
});

test('a StatefulSet that does all in parallel replaces the pod that waits', () => {
  assert.equal(broughtTogether({ podManagementPolicy: 'Parallel' }), true);
});
