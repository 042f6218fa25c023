import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { container, creating, deployment, enforcing, scaling, scene, settings, updating } from './scene.ts';

const recreate = { strategy: { type: 'Recreate' } };
const image = { containers: [container('web:2')] };
const existingDenied = settings({
  policy: { dryRun: 'warn', existing: 'deny', exemptions: 'allow', overBudget: 'warn' },
});

test('an update that brings a problem is denied', async () => {
  const { response } = await scene({ labels: enforcing }).validate(updating(deployment(recreate), deployment()));
  assert.equal(response.allowed, false);
});

test('a problem that was there before gets the warning', async () => {
  const { response, warnings } = await scene({ labels: enforcing }).validate(
    updating(deployment(), deployment({}, {}, image)),
  );
  assert.equal(response.allowed, true);
  assert.match(warnings[0] ?? '', /\[rollout-deadlock\]$/);
});

test('an object is read from the cluster once more as it was only where something that decides has changed', async () => {
  const { state, validate } = scene();
  let looks = 0;
  const autoscalersOf = state.autoscalersOf.bind(state);
  state.autoscalersOf = (...asked) => {
    looks++;
    return autoscalersOf(...asked);
  };
  const looksFor = async (from: JsonObject, to: JsonObject): Promise<number> => {
    looks = 0;
    await validate(updating(from, to));
    return looks;
  };
  const counted = { metadata: { namespace: 'shop', name: 'web', resourceVersion: '7' }, status: { replicas: 1 } };
  assert.equal(await looksFor({ ...deployment(), ...counted }, deployment({}, {}, image)), 1);
  const placed = { nodeSelector: { 'kubernetes.io/hostname': 'a' } };
  assert.equal(await looksFor(deployment(), deployment({}, {}, placed)), 2);
  assert.equal(await looksFor(deployment(), deployment({ replicas: 2 })), 2);
});

test('self-affinity for pods that may run apart already is allowed, with what to do first', async () => {
  const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };
  const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  const held = (spec: object) => deployment(spec, {}, { affinity: { podAffinity } });
  const [two, one] = [{ replicas: 2 }, { replicas: 1 }];
  const { response, warnings } = await scene({ labels: enforcing }).validate(updating(deployment(two), held(two)));
  assert.equal(response.allowed, true);
  assert.deepEqual(warnings, [
    'Deployment shop/web: next rollout can hang (claim data on another node); scale to 1, or Recreate once [rollout-deadlock]',
  ]);
  assert.deepEqual((await scene({ labels: enforcing }).validate(updating(deployment(one), held(one)))).warnings, []);
  assert.deepEqual((await scene({ labels: enforcing }).validate(creating(held(two)))).warnings, []);
  const once = { ...two, ...recreate };
  assert.deepEqual((await scene({ labels: enforcing }).validate(updating(deployment(two), held(once)))).warnings, []);
});

test('existing: deny refuses a problem that was there before', async () => {
  const strict = scene({ labels: enforcing, settings: existingDenied });
  assert.equal((await strict.validate(updating(deployment(), deployment({}, {}, image)))).response.allowed, false);
});

test('a second claim brings a new problem although the first had one', async () => {
  const both = scene({ labels: enforcing });
  const volumes = ['data', 'logs'].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  both.add({ ...claimNamed('logs') });
  const { response } = await both.validate(updating(deployment(), deployment({}, {}, { volumes })));
  assert.equal(response.allowed, false);
});

const hasPods = (object: JsonObject, replicas = 1): JsonObject => ({ ...object, status: { replicas } });

for (const [what, from, to] of [
  ['replicas', { replicas: 0 }, { replicas: 1 }],
  ['paused', { paused: true }, { paused: false }],
] as const) {
  test(`${what} alone never makes a rollout finding of running pods new`, async () => {
    const { response, warnings } = await scene({ labels: enforcing }).validate(
      updating(hasPods(deployment(from)), hasPods(deployment(to))),
    );
    assert.equal(response.allowed, true);
    assert.match(warnings[0] ?? '', /\[rollout-deadlock\]$/);
  });
}

test('more replicas in the object itself are a new problem of theirs', async () => {
  const update = updating(deployment(recreate), deployment({ ...recreate, replicas: 2 }));
  const { response } = await scene({ labels: enforcing }).validate(update);
  assert.equal(response.allowed, false);
  assert.match(response.status?.message ?? '', /\[replicas-split\]/);
});

test('a paused Deployment and one without replicas are no hazard', async () => {
  for (const spec of [{ paused: true }, { replicas: 0 }]) {
    const { warnings } = await scene({ labels: enforcing }).validate(creating(deployment(spec)));
    assert.deepEqual(warnings, []);
  }
});

test('an update that moves the pods to another node is judged with the node where the old ones sit', async () => {
  const on = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } });
  const moving = updating(deployment({}, {}, on('a')), deployment({}, {}, on('b')));
  assert.equal((await scene({ labels: enforcing }).validate(moving)).response.allowed, false);
  assert.equal(
    (await scene({ labels: enforcing }).validate(creating(deployment({}, {}, on('a'))))).response.allowed,
    true,
  );
});

test('scale judges only what replicas do to each other', async () => {
  const scaled = scene({ labels: enforcing });
  scaled.add(deployment());
  assert.deepEqual((await scaled.validate(scaling(0, 1, {}, deployment(), 1))).warnings, []);
  const { response } = await scaled.validate(scaling(1, 2));
  assert.equal(response.allowed, false);
  assert.match(response.status?.message ?? '', /^Deployment shop\/web: .*\[replicas-split\]/);
  assert.doesNotMatch(response.status?.message ?? '', /rollout-deadlock/);
});

test('scaling down passes at once', async () => {
  const scaled = scene({ labels: enforcing });
  scaled.add(deployment({ replicas: 3 }));
  assert.equal((await scaled.validate(scaling(3, 2))).observation.verdict, 'skip');
});

test('scaling further what was split already gets the warning', async () => {
  const scaled = scene({ labels: enforcing });
  scaled.add(deployment({ replicas: 2 }));
  const { response, warnings } = await scaled.validate(scaling(2, 3));
  assert.equal(response.allowed, true);
  assert.match(warnings[0] ?? '', /\[replicas-split\]$/);
});

test('replicas that only an autoscaler might have asked for are a new problem once they are asked for', async () => {
  const cluster = scene({ labels: enforcing });
  cluster.add(deployment(), {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name: 'web' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  });
  assert.equal((await cluster.validate(scaling(1, 3))).response.allowed, false);
  assert.equal((await cluster.validate(updating(deployment(), deployment({ replicas: 3 })))).response.allowed, false);
});

test('going back to at most rwo-guard.dev/replicas-before is not new', async () => {
  const scaled = scene({ labels: enforcing });
  scaled.add(deployment({ replicas: 0 }, { annotations: { 'rwo-guard.dev/replicas-before': '3' } }));
  assert.equal((await scaled.validate(scaling(0, 3))).response.allowed, true);
  assert.equal((await scaled.validate(scaling(0, 4))).response.allowed, false);
});

test('scale of a Deployment that shares no volume passes, asked for once', async () => {
  let asked = 0;
  const scaled = scene({
    labels: enforcing,
    lookUp: async (refs) => {
      asked += refs.length;
      return refs.map((ref) => ({ ...ref, found: { known: true, value: undefined } }));
    },
  });
  assert.equal((await scaled.validate(scaling(1, 2))).response.allowed, true);
  assert.equal(asked, 1);
});

test('a paused Deployment is held to its replicas once its pods run', async () => {
  const paused = { ...recreate, paused: true };
  const cluster = scene({ labels: enforcing });
  assert.deepEqual((await cluster.validate(creating(deployment({ ...paused, replicas: 3 })))).warnings, []);
  const scaled = updating(hasPods(deployment(paused)), hasPods(deployment({ ...paused, replicas: 3 })));
  assert.equal((await cluster.validate(scaled)).response.allowed, false);
  const unpaused = updating(
    hasPods(deployment({ ...paused, replicas: 3 }), 3),
    hasPods(deployment({ ...recreate, replicas: 3 }), 3),
  );
  assert.equal((await cluster.validate(unpaused)).response.allowed, true);
});

test('rwo-guard.dev/replicas-before says nothing of an object that is new', async () => {
  const annotations = { 'rwo-guard.dev/replicas-before': '99' };
  const created = creating(deployment({ ...recreate, replicas: 3 }, { annotations }));
  assert.equal((await scene({ labels: enforcing }).validate(created)).response.allowed, false);
});

for (const [why, text, counts] of [
  ['with a reason counts', 'rollout-deadlock: the program is stopped before each rollout', true],
  ['for several rules counts', 'replicas-split, rollout-deadlock: tested', true],
  ['without a reason does not count and says so', 'rollout-deadlock', false],
  ['with an empty reason does not count and says so', 'rollout-deadlock: ', false],
  ['with an unknown rule does not count and says so', 'rolling-update: we know', false],
] as const) {
  test(`an exemption ${why}`, async () => {
    const exempt = deployment({}, { annotations: { 'rwo-guard.dev/ignore': text } });
    const { response, warnings } = await scene({ labels: enforcing }).validate(creating(exempt));
    assert.equal(response.allowed, counts);
    assert.equal(
      warnings.some((line) => line.includes('does not count')),
      !counts,
    );
  });
}

function claimNamed(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'disk' },
  };
}
