import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Described, ELSEWHERE, foretold, NO_NODE, PORT, REQUIRED, SELF, unzoned, ZONE } from './scene.ts';

/*
 * Pods whose affinity means their own: which of them may be the first in a zone while old ones are on a node in none.
 */

/** Why new pods with this affinity by zone may wait while old ones are on a node without a zone. */
function reasons({ kind = 'Deployment', spec = {} }: Described, term: JsonObject) {
  const pod = { affinity: { podAffinity: { [REQUIRED]: [{ ...SELF, ...term, topologyKey: ZONE }] } } };
  const described: Described = { kind, spec, pod };
  const around = { before: described, places: ['none'], nodes: ['a1'], objects: [unzoned('none')] };
  return foretold(described, around).certain.rollout.reasons;
}

const SET: Described = { kind: 'StatefulSet', spec: { replicas: 3 } };

test('a pod whose affinity means itself may be the first in a zone, and no other may', () => {
  assert.deepEqual(reasons({}, {}), [ELSEWHERE]);
  assert.deepEqual(reasons({}, { mismatchLabelKeys: ['pod-template-hash'] }), [NO_NODE]);
  assert.deepEqual(reasons(SET, {}), [ELSEWHERE]);
  assert.deepEqual(reasons(SET, { mismatchLabelKeys: ['controller-revision-hash'] }), [NO_NODE]);
});

test('of the pods of a StatefulSet the one that comes first has to mean itself', () => {
  const spec = { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } };
  const partitioned: Described = { kind: 'StatefulSet', spec };
  const means = (...values: readonly string[]) => ({
    labelSelector: { matchExpressions: [{ key: 'apps.kubernetes.io/pod-index', operator: 'In', values }] },
  });
  assert.deepEqual(reasons(partitioned, means('2')), [ELSEWHERE]);
  assert.deepEqual(reasons(partitioned, means('0', '1')), [NO_NODE]);
});

test('pods of a StatefulSet that keep apart find no second place on the only node', () => {
  const minDomains = 2;
  const topologySpreadConstraints = [{ ...SELF, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', minDomains }];
  for (const pod of [PORT, { topologySpreadConstraints }]) {
    const { rollout } = foretold({ kind: 'StatefulSet', spec: { replicas: 2 }, pod }, { nodes: ['a1'] }).certain;
    assert.deepEqual(rollout.reasons, [NO_NODE]);
  }
});
