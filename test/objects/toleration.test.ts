import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { isTransient } from '../../src/objects/node.ts';
import { repels, tolerationsAt } from '../../src/objects/toleration.ts';

const TAINT = { key: 'dedicated', value: 'db', effect: 'NoSchedule' };

/** As `ToleratesTaint` of the API answers for the taint dedicated=db:NoSchedule. */
const tolerations: readonly (readonly [JsonObject, boolean])[] = [
  [{ key: 'dedicated', value: 'db' }, true],
  [{ key: 'dedicated', operator: 'Equal', value: 'db', effect: 'NoSchedule' }, true],
  [{ key: 'dedicated', operator: '', value: 'db' }, true],
  [{ key: 'dedicated', operator: 'Exists' }, true],
  [{ key: 'dedicated', operator: 'Exists', value: 'web' }, true],
  [{ operator: 'Exists' }, true],
  [{ operator: 'Exists', effect: 'NoExecute' }, false],
  [{ key: 'dedicated', value: 'web' }, false],
  [{ key: 'dedicated' }, false],
  [{ key: 'other', value: 'db' }, false],
  [{ key: 'other', operator: 'Exists' }, false],
  [{ value: 'db' }, false],
  [{ key: 'dedicated', operator: 'Lt', value: 'db' }, false],
  [{ key: 'dedicated', value: 'db', effect: 'NoExecute' }, false],
];

for (const [toleration, tolerated] of tolerations) {
  test(`${JSON.stringify(toleration)} ${tolerated ? 'tolerates' : 'does not tolerate'} the taint`, () => {
    assert.equal(repels(TAINT, tolerationsAt({ tolerations: [toleration] }, 'tolerations')), !tolerated);
  });
}

test('a taint keeps pods off by its effect, and any toleration of it is enough', () => {
  const effects = ['NoSchedule', 'NoExecute', 'PreferNoSchedule', ''];
  assert.deepEqual(
    effects.map((effect) => repels({ ...TAINT, effect }, [])),
    [true, true, false, false],
  );
  const some = tolerationsAt({ all: [{ key: 'other' }, { key: 'dedicated', operator: 'Exists' }] }, 'all');
  assert.equal(repels(TAINT, some), false);
});

test('only the taints of Kubernetes itself pass by themselves', () => {
  assert.equal(isTransient({ ...TAINT, key: 'node.kubernetes.io/not-ready' }), true);
  assert.equal(isTransient({ ...TAINT, key: 'node.cloudprovider.kubernetes.io/uninitialized' }), true);
  assert.equal(isTransient({ ...TAINT, key: 'ebs.csi.aws.com/agent-not-ready' }), true);
  assert.equal(isTransient({ ...TAINT, key: 'node-role.kubernetes.io/control-plane' }), false);
  assert.equal(isTransient({ ...TAINT, key: 'example.com/node.kubernetes.io/not-ready' }), false);
});
