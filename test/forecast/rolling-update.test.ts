import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fencepostsOf, overlaps, podsThatStay } from '../../src/forecast/rolling-update.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import type { IntOrPercent, Strategy, Workload } from '../../src/objects/workload.ts';

function read(replicas: number, maxSurge: unknown, maxUnavailable: unknown): Workload {
  return workloadFrom('Deployment', { spec: { replicas, strategy: { rollingUpdate: { maxSurge, maxUnavailable } } } });
}

/** Replicas, surge and unavailable as written (`undefined`: not), then resolved, and whether old pods stay. */
const table: readonly [number, unknown, unknown, number, number, boolean][] = [
  [1, undefined, undefined, 1, 0, true],
  [2, undefined, undefined, 1, 0, true],
  [3, undefined, undefined, 1, 0, true],
  [4, undefined, undefined, 1, 1, true],
  [8, undefined, undefined, 2, 2, true],
  [1, 0, 1, 0, 1, false],
  [1, 1, 1, 1, 1, false],
  [1, 1, 0, 1, 0, true],
  [1, 0, '1%', 0, 1, false],
  [1, '0%', '0%', 0, 1, false],
  [1, '1%', 0, 1, 0, true],
  [2, 0, 1, 0, 1, true],
  [2, 0, '99%', 0, 1, true],
  [2, 0, '100%', 0, 2, false],
  [3, 0, '50%', 0, 1, true],
  [2, 1, 5, 1, 2, false],
  [8, '30%', '30%', 3, 2, true],
  [10, '150%', '100%', 15, 10, false],
  [0, 1, 0, 1, 0, false],
];

for (const [replicas, surge, unavailable, maxSurge, maxUnavailable, stay] of table) {
  test(`surge ${surge} and unavailable ${unavailable} of ${replicas} are ${maxSurge} and ${maxUnavailable}`, () => {
    const workload = read(replicas, surge, unavailable);
    const { strategy } = workload;
    assert.ok(strategy.type === 'RollingUpdate');
    assert.deepEqual(fencepostsOf({ strategy, replicas }), { maxSurge, maxUnavailable });
    assert.equal(podsThatStay(workload) > 0, stay);
    assert.equal(overlaps(workload), maxSurge > 0);
  });
}

const anyNumber: fc.Arbitrary<IntOrPercent> = fc.oneof(
  fc.record({ type: fc.constant('int' as const), value: fc.nat(12) }),
  fc.record({ type: fc.constant('percent' as const), value: fc.nat(120) }),
);
const anyReplicas = fc.nat(20);
const anyRolling = fc.record({
  type: fc.constant('RollingUpdate' as const),
  maxSurge: anyNumber,
  maxUnavailable: anyNumber,
});

test('unavailable lies between none and all, and with surge is never both none', () => {
  fc.assert(
    fc.property(anyRolling, anyReplicas, (strategy, replicas) => {
      const { maxSurge, maxUnavailable } = fencepostsOf({ strategy, replicas });
      assert.ok(Number.isInteger(maxSurge) && maxSurge >= 0);
      assert.ok(Number.isInteger(maxUnavailable) && maxUnavailable >= 0 && maxUnavailable <= replicas);
      assert.ok(replicas === 0 || maxSurge + maxUnavailable > 0);
    }),
  );
});

test('a larger percentage never means fewer pods, above or below', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), anyReplicas, (a, b, replicas) => {
      const at = (value: number) =>
        fencepostsOf({
          replicas,
          strategy: {
            type: 'RollingUpdate',
            maxSurge: { type: 'percent', value },
            maxUnavailable: { type: 'percent', value },
          },
        });
      const [less, more] = [at(Math.min(a, b)), at(Math.max(a, b))];
      assert.ok(less.maxSurge <= more.maxSurge);
      // Two zeros become one unavailable, so that alone may shrink again once surge is not zero any more.
      assert.ok(less.maxSurge === 0 || less.maxUnavailable <= more.maxUnavailable);
    }),
  );
});

test('Recreate keeps no old pods and creates none beside them', () => {
  fc.assert(
    fc.property(anyReplicas, (replicas) => {
      const workload: Pick<Workload, 'strategy' | 'replicas'> = { strategy: { type: 'Recreate' }, replicas };
      assert.equal(podsThatStay(workload), 0);
      assert.equal(overlaps(workload), false);
    }),
  );
});

test('surge has no say in how many old pods stay, unless both numbers are none', () => {
  fc.assert(
    fc.property(anyRolling, anyNumber, anyReplicas, (strategy, maxSurge, replicas) => {
      fc.pre(fencepostsOf({ strategy, replicas }).maxSurge > 0);
      fc.pre(fencepostsOf({ strategy: { ...strategy, maxSurge }, replicas }).maxSurge > 0);
      assert.equal(
        podsThatStay({ strategy, replicas }),
        podsThatStay({ strategy: { ...strategy, maxSurge }, replicas }),
      );
    }),
  );
});

/**
 * The rolling controller, one sync after the other as `pkg/controller/deployment/rolling.go` reads, with old pods that
 * are all available and new ones that never become so. It knows nothing of what is tested.
 */
function whereItStops(replicas: number, surge: number, unavailable: number): { old: number; new: number } {
  let [oldPods, newPods] = [replicas, 0];
  for (;;) {
    const total = oldPods + newPods;
    const room = replicas + surge - total;
    const scaledUp = newPods + Math.max(0, Math.min(room, replicas - newPods)); // reconcileNewReplicaSet
    if (scaledUp !== newPods) {
      newPods = scaledUp;
      continue;
    }
    const minAvailable = replicas - unavailable;
    const newUnavailable = newPods; // none of them is available
    if (oldPods + newPods - minAvailable - newUnavailable <= 0) return { old: oldPods, new: newPods };
    const scaledDown = Math.min(oldPods, Math.max(0, oldPods - minAvailable)); // scaleDownOldReplicaSetsForRollingUpdate
    if (scaledDown === 0) return { old: oldPods, new: newPods };
    oldPods -= scaledDown;
  }
}

/** `ResolveFenceposts`, by its own words, for what the simulation starts from. */
function resolvedByHand({ maxSurge, maxUnavailable }: Strategy & { readonly type: 'RollingUpdate' }, replicas: number) {
  const share = (number: IntOrPercent) => (number.type === 'int' ? number.value : (number.value * replicas) / 100);
  const [surge, unavailable] = [Math.ceil(share(maxSurge)), Math.floor(share(maxUnavailable))];
  return { surge, unavailable: Math.min(surge + unavailable === 0 ? 1 : unavailable, replicas) };
}

test('as many old pods stay as a simulated controller never gets rid of', () => {
  fc.assert(
    fc.property(anyRolling, fc.integer({ min: 1, max: 20 }), (strategy, replicas) => {
      const { surge, unavailable } = resolvedByHand(strategy, replicas);
      const stopped = whereItStops(replicas, surge, unavailable);
      assert.equal(podsThatStay({ strategy, replicas }), stopped.old);
      assert.equal(stopped.new, Math.min(replicas, surge + unavailable));
    }),
    { numRuns: 2_000 },
  );
});
