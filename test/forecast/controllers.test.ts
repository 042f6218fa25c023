import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Described, foretold, HOST, TOGETHER } from './scene.ts';

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

test('of pods that may all go, a Deployment ends one of a node that has the most', () => {
  const spread = {
    topologyKey: HOST,
    maxSkew: 2,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
  };
  const web: Described = {
    replicas: 3,
    claims: [],
    spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    pod: { topologySpreadConstraints: [spread] },
  };
  // With the old pods of the first node gone first, that and the second never differ by more than two.
  const around = { before: web, nodes: ['a1', 'b1'], cordoned: ['b1'], places: ['a1', 'b1'] };
  assert.equal(foretold(web, around).certain.rollout.stuck, false);
});
