import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlaps, podsOfNewRevision, podsThatStay, replacesPods } from '../../src/forecast/rolling-update.ts';
import type { Strategy } from '../../src/objects/workload.ts';

interface Expected {
  /** Pods that a new template is for, of three. */
  readonly replaced: number;
  /** Old pods that stay while a new one does not become available. */
  readonly stay: number;
  /** New pods come while old ones are still wanted. */
  readonly overlap: boolean;
}

const quarter = { type: 'percent', value: 25 } as const;

const strategies: readonly (readonly [string, Strategy, Expected])[] = [
  ['Recreate', { type: 'Recreate' }, { replaced: 3, stay: 0, overlap: false }],
  [
    'a rolling update with the defaults',
    { type: 'RollingUpdate', maxSurge: quarter, maxUnavailable: quarter },
    { replaced: 3, stay: 3, overlap: true },
  ],
  [
    'a rolling update without surge',
    { type: 'RollingUpdate', maxSurge: { type: 'int', value: 0 }, maxUnavailable: quarter },
    { replaced: 3, stay: 2, overlap: false },
  ],
  ['one by one', { type: 'StatefulSetRolling', partition: 0 }, { replaced: 3, stay: 2, overlap: false }],
  ['one by one from the last', { type: 'StatefulSetRolling', partition: 2 }, { replaced: 1, stay: 2, overlap: false }],
  ['on each node', { type: 'DaemonSetRolling', surges: false }, { replaced: 3, stay: 0, overlap: false }],
  ['on each node, surging', { type: 'DaemonSetRolling', surges: true }, { replaced: 3, stay: 1, overlap: true }],
];

for (const [name, strategy, expected] of strategies) {
  test(`of three pods that are replaced ${name} ${expected.stay} stay until a new one is available`, () => {
    const workload = { strategy, replicas: 3 };
    assert.deepEqual(
      {
        replaced: podsOfNewRevision(workload),
        stay: podsThatStay(workload),
        overlap: overlaps(workload),
      },
      expected,
    );
    assert.equal(replacesPods(workload), true);
  });
}

test('nothing is replaced where a template is for later pods alone, or for those beyond the last', () => {
  assert.equal(replacesPods({ strategy: { type: 'OnDelete' }, replicas: 3 }), false);
  assert.equal(replacesPods({ strategy: { type: 'StatefulSetRolling', partition: 3 }, replicas: 3 }), false);
  assert.equal(podsOfNewRevision({ strategy: { type: 'StatefulSetRolling', partition: 5 }, replicas: 3 }), 0);
  assert.equal(replacesPods({ strategy: { type: 'Recreate' }, replicas: 0 }), false);
  assert.equal(podsThatStay({ strategy: { type: 'OnDelete' }, replicas: 3 }), 0);
});

test('a StatefulSet without pods leaves none', () => {
  assert.equal(podsThatStay({ strategy: { type: 'StatefulSetRolling', partition: 0 }, replicas: 0 }), 0);
});
