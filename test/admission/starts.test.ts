import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import type { ObjectRef } from '../../src/snapshot/snapshot.ts';
import { statefulSet } from './kinds.ts';
import { claim, creating, deployment, enforcing, type Scene, scaling, scene, storing, updating } from './scene.ts';

const recreate = { strategy: { type: 'Recreate' } };
const bare = { volumes: [] };
const enforced = (lookUp = storing()): Scene => scene({ labels: enforcing, lookUp });
const withPods = (object: JsonObject, replicas: number): JsonObject => ({ ...object, status: { replicas } });
const before = (replicas: string) => ({ annotations: { 'rwo-guard.dev/replicas-before': replicas } });

/** What becomes of an update of a Deployment with so many pods. */
async function updated(from: JsonObject, to: JsonObject, pods = 0): Promise<string> {
  const { response, warnings } = await enforced().validate(updating(withPods(from, pods), withPods(to, pods)));
  if (!response.allowed) return `denied: ${/\[([\w-]+)\]/.exec(response.status?.message ?? '')?.[1]}`;
  return warnings.length > 0 ? 'warned' : 'allowed';
}

for (const [what, from, to, pods, becomes] of [
  ['the first replica', deployment({ replicas: 0 }), deployment(), 0, 'denied: rollout-deadlock'],
  ['unpausing what never ran', deployment({ paused: true }), deployment(), 0, 'denied: rollout-deadlock'],
  [
    'unpausing with another change what never ran',
    deployment({ paused: true }),
    deployment({ minReadySeconds: 5 }),
    0,
    'denied: rollout-deadlock',
  ],
  [
    'more replicas of a paused Deployment without pods, whose last template comes back',
    deployment({ paused: true, replicas: 0 }),
    deployment({ paused: true, replicas: 1 }),
    0,
    'denied: rollout-deadlock',
  ],
  [
    'another image of what was never started',
    deployment({ paused: true }, {}, bare),
    deployment({ paused: true }),
    0,
    'allowed',
  ],
  ['the first replica of what may run', deployment({ replicas: 0 }), deployment(), 1, 'warned'],
  ['the first replica of what is safe', deployment({ ...recreate, replicas: 0 }), deployment(recreate), 0, 'allowed'],
  ['stopping it', deployment(), deployment({ replicas: 0 }), 1, 'allowed'],
  ['pausing it', deployment(), deployment({ paused: true }), 1, 'allowed'],
  [
    'a claim that comes with a pause',
    deployment({}, {}, bare),
    deployment({ paused: true }),
    1,
    'denied: rollout-deadlock',
  ],
  [
    'a claim that comes with a stop',
    deployment({}, {}, bare),
    deployment({ replicas: 0 }),
    1,
    'denied: rollout-deadlock',
  ],
  [
    'a claim that comes while the last pods end',
    deployment({ replicas: 0 }, {}, bare),
    deployment({ replicas: 0 }),
    1,
    'denied: rollout-deadlock',
  ],
  [
    'a claim that comes while it is stopped',
    deployment({ replicas: 0 }, {}, bare),
    deployment({ replicas: 0 }),
    0,
    'allowed',
  ],
] as const) {
  test(`${what} is ${becomes}`, async () => {
    assert.equal(await updated(from, to, pods), becomes);
  });
}

for (const [what, text, counts] of [
  ['a number', '3', true],
  ['as many as there may be', '999999999', true],
  ['infinity', 'Infinity', false],
  ['a number in another notation', '1e3', false],
  ['a negative number', '-3', false],
  ['nothing', '', false],
] as const) {
  test(`replicas-before: ${what} ${counts ? 'lets it go back to so many' : 'does not count, and says so'}`, async () => {
    const stopped = deployment({ ...recreate, replicas: 0 }, before(text));
    const running = deployment({ ...recreate, replicas: 3 }, before(text));
    const { response, warnings } = await enforced().validate(updating(stopped, running));
    assert.equal(response.allowed, counts);
    assert.equal(/replicas-before does not count/.test(warnings.join()), !counts);
  });
}

test('to write replicas-before is judged like going there', async () => {
  const one = deployment(recreate);
  assert.equal(await updated(one, deployment(recreate, before('3')), 1), 'denied: replicas-split');
  assert.equal(await updated(one, deployment(recreate, before('1')), 1), 'allowed');
  assert.equal(await updated(one, deployment({ ...recreate, replicas: 3 }, before('3')), 1), 'denied: replicas-split');
  for (const replicas of [0, 1]) {
    const created = creating(deployment({ ...recreate, replicas }, before('3')));
    assert.equal((await enforced().validate(created)).response.allowed, false);
  }
});

test('what runs is stopped and started with replicas-before without a word of a denial', async () => {
  const split = { ...recreate, replicas: 3 };
  const stopped = deployment({ ...recreate, replicas: 0 }, before('3'));
  assert.equal(await updated(deployment(split), stopped, 3), 'allowed');
  assert.equal(await updated(stopped, deployment(split), 0), 'warned');
  assert.equal(await updated(stopped, deployment({ ...recreate, replicas: 4 }), 0), 'denied: replicas-split');
});

test('what goes back to replicas from before is judged for what it became meanwhile', async () => {
  const stopped = { replicas: 0 };
  assert.equal(
    await updated(deployment(stopped, before('1'), bare), deployment(stopped, before('1'))),
    'denied: rollout-deadlock',
  );
  assert.equal(await updated(deployment(stopped, before('1')), deployment({}, before('1'))), 'warned');
  const late = enforced();
  late.state.tables.PersistentVolumeClaim.clear();
  late.add(deployment(stopped, before('1')));
  assert.equal((await late.validate(creating(claim()))).response.allowed, false);
});

test('a claim that comes late is judged by what has pods, though it is paused or stopped just now', async () => {
  for (const [spec, pods, allowed] of [
    [{ paused: true }, 1, false],
    [{ replicas: 0 }, 1, false],
    [{ paused: true }, 0, true],
    [{ replicas: 0 }, 0, true],
  ] as const) {
    const late = enforced();
    late.state.tables.PersistentVolumeClaim.clear();
    late.add(withPods(deployment(spec), pods));
    assert.equal((await late.validate(creating(claim()))).response.allowed, allowed);
  }
});

test('scaling from nothing is judged like creation, and by an autoscaler warned of', async () => {
  for (const spec of [{ replicas: 0 }, { replicas: 0, paused: true }]) {
    const scaled = enforced();
    scaled.add(deployment(spec));
    const { response } = await scaled.validate(scaling(0, 1));
    assert.match(response.status?.message ?? '', /^Deployment shop\/web: .*\[rollout-deadlock\]/);
    const username = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';
    const asked = await scaled.validate(scaling(0, 1, { userInfo: { username } }));
    assert.equal(asked.response.allowed, true);
    assert.match(asked.warnings.join(), /\[rollout-deadlock\]/);
  }
});

test('scaling back to replicas from before is warned of, and beyond them denied', async () => {
  const scaled = enforced();
  scaled.add(deployment({ replicas: 0 }, before('2')));
  assert.equal((await scaled.validate(scaling(0, 2))).response.allowed, true);
  assert.equal((await scaled.validate(scaling(0, 3))).response.allowed, false);
});

test('a template that the watch has not brought yet is read before its workload is scaled', async () => {
  const asked: ObjectRef[] = [];
  const now = deployment(recreate, { resourceVersion: '8' });
  const scaled = enforced(async (refs, signal) => {
    asked.push(...refs);
    return storing(now)(refs, signal);
  });
  scaled.add(deployment(recreate, { resourceVersion: '7' }, bare));
  assert.equal((await scaled.validate(scaling(1, 3, {}, now))).response.allowed, false);
  assert.deepEqual(asked, [{ kind: 'Deployment', namespace: 'shop', name: 'web' }]);
  asked.length = 0;
  scaled.add(now);
  assert.equal((await scaled.validate(scaling(1, 3, {}, now))).response.allowed, false);
  assert.deepEqual(asked, []);
});

test('a StatefulSet is started by its replicas alone', async () => {
  const stopped = statefulSet({ replicas: 0 });
  assert.equal((await enforced().validate(updating(stopped, statefulSet()))).response.allowed, true);
  assert.equal((await enforced().validate(updating(stopped, statefulSet({ replicas: 3 })))).response.allowed, false);
});
