import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import type { Wait } from '../../src/forecast/reasons.ts';
import { snapshotOf } from '../../src/lint/file-snapshot.ts';
import { MUTATE_VALUES, MUTATED_ANNOTATION, mutateValueFrom, repairOf } from '../../src/mutations/repair.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import { isObject, type JsonObject, objectAt } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { deepFrozen } from '../deep-frozen.ts';
import { fixture, fixtureNames } from '../fixtures.ts';
import { applied } from './applied.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const HOST = 'kubernetes.io/hostname';
const SELF = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: HOST };
const CACHE = { labelSelector: { matchLabels: { app: 'cache' } }, topologyKey: HOST };

/** Three nodes, and the claims disk (ReadWriteOnce), one-pod and shared. */
const { snapshot } = snapshotOf(
  [
    ...['a', 'b', 'c'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { [HOST]: name, 'topology.kubernetes.io/zone': 'north' } },
    })),
    ...claim('disk', 'ReadWriteOnce'),
    ...claim('one-pod', 'ReadWriteOncePod'),
    ...claim('shared', 'ReadWriteMany'),
  ].map((object) => ({ object, file: '', line: 1 })),
);

function claim(name: string, mode: string): readonly JsonObject[] {
  const spec = { accessModes: [mode], csi: { driver: 'd' } };
  return [
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'shop', name },
      spec: { accessModes: [mode], volumeName: name },
    },
  ];
}

interface Written {
  readonly claim?: string | undefined;
  readonly replicas?: number | undefined;
  readonly strategy?: JsonObject | undefined;
  readonly affinity?: JsonObject | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly spec?: JsonObject | undefined;
}

function deployment({
  claim: claimName = 'disk',
  replicas = 1,
  strategy,
  affinity,
  metadata,
  spec,
}: Written): JsonObject {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'shop', name: 'web', ...metadata },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      ...(strategy === undefined ? {} : { strategy }),
      ...spec,
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { ...(affinity === undefined ? {} : { affinity }), volumes },
      },
    },
  };
}

type Wanted = (typeof MUTATE_VALUES)[number];

function repair(object: JsonObject, wanted: Wanted, previous?: JsonObject) {
  const { facts } = gatherFacts(workloadFrom('Deployment', object), snapshot, storageMatrix(), new Budget());
  return repairOf(deepFrozen(facts), deepFrozen(object), wanted, deepFrozen(previous));
}

function certainOf(object: JsonObject) {
  return forecast(gatherFacts(workloadFrom('Deployment', object), snapshot, storageMatrix(), new Budget()).facts)
    .certain;
}

const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } };
const LEFT_OVER = { ...ROLLING, type: 'Recreate' };
const RECREATE = { type: 'Recreate' };
const INJECTED = deployment({ metadata: { annotations: { [MUTATED_ANNOTATION]: 'pod-affinity' } } });

/** What is written, what the namespace wants, and what is done about it. */
const choices: readonly [string, Written, Wanted, string | undefined][] = [
  ['one replica', {}, 'auto', 'recreate'],
  ['three replicas', { replicas: 3 }, 'auto', 'pod-affinity'],
  ['one replica', {}, 'recreate', 'recreate'],
  ['three replicas', { replicas: 3 }, 'recreate', 'recreate'],
  ['one replica', {}, 'pod-affinity', 'pod-affinity'],
  ['no replicas yet', { replicas: 0 }, 'auto', 'recreate'],
  ['a paused Deployment', { spec: { paused: true } }, 'auto', 'recreate'],
  ['ReadWriteOncePod', { claim: 'one-pod' }, 'pod-affinity', 'recreate'],
  ['ReadWriteOncePod of three replicas', { claim: 'one-pod', replicas: 3 }, 'auto', 'recreate'],
  ['a shared claim', { claim: 'shared', replicas: 3 }, 'auto', undefined],
  ['a claim that does not exist', { claim: 'missing', replicas: 3 }, 'auto', undefined],
  ['Recreate already', { strategy: RECREATE }, 'auto', undefined],
  ['Recreate and three replicas', { strategy: RECREATE, replicas: 3 }, 'auto', 'pod-affinity'],
  ['Recreate and three replicas', { strategy: RECREATE, replicas: 3 }, 'recreate', undefined],
  ['an affinity to itself already', { affinity: { podAffinity: { [REQUIRED]: [SELF] } } }, 'auto', undefined],
  ['an affinity to another app', { affinity: { podAffinity: { [REQUIRED]: [CACHE] } } }, 'pod-affinity', undefined],
  [
    'an affinity to another app',
    { affinity: { podAffinity: { [REQUIRED]: [CACHE] } }, replicas: 2 },
    'auto',
    'recreate',
  ],
  ['an anti-affinity to itself', { affinity: { podAntiAffinity: { [REQUIRED]: [SELF] } } }, 'pod-affinity', undefined],
  [
    'old pods that all go',
    { replicas: 3, strategy: { rollingUpdate: { maxUnavailable: '100%' } } },
    'recreate',
    undefined,
  ],
  ['a left-over rollingUpdate', { strategy: LEFT_OVER }, 'auto', 'drop-rolling-update'],
  [
    'a left-over rollingUpdate on a shared claim',
    { claim: 'shared', strategy: LEFT_OVER },
    'recreate',
    'drop-rolling-update',
  ],
  ['a left-over rollingUpdate and three replicas', { strategy: LEFT_OVER, replicas: 3 }, 'auto', 'pod-affinity'],
];

for (const [name, written, wanted, mutation] of choices) {
  test(`${name} in a namespace that wants ${wanted} gets ${mutation ?? 'nothing'}`, () => {
    assert.equal(repair(deployment(written), wanted)?.mutation, mutation);
  });
}

test('an affinity once injected stays when the replicas become one', () => {
  assert.equal(repair(deployment({}), 'auto', INJECTED)?.mutation, 'pod-affinity');
  assert.equal(repair(deployment({ claim: 'one-pod' }), 'auto', INJECTED)?.mutation, 'recreate');
});

test('Recreate replaces the strategy whole', () => {
  const object = deployment({ strategy: ROLLING });
  const after = applied(object, repair(object, 'recreate')?.patch ?? []);
  assert.deepEqual(objectAt(objectAt(after, 'spec'), 'strategy'), RECREATE);
});

test('an affinity is added beside the terms that are there', () => {
  const zone = { ...SELF, topologyKey: 'topology.kubernetes.io/zone' };
  const preferred = [{ weight: 1, podAffinityTerm: CACHE }];
  const written = { podAffinity: { [REQUIRED]: [zone], preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  const object = deployment({ affinity: { ...written, nodeAffinity: {} } });
  const after = applied(object, repair(object, 'pod-affinity')?.patch ?? []);
  const spec = objectAt(objectAt(objectAt(after, 'spec'), 'template'), 'spec');
  assert.deepEqual(objectAt(spec, 'affinity'), {
    nodeAffinity: {},
    podAffinity: { [REQUIRED]: [zone, SELF], preferredDuringSchedulingIgnoredDuringExecution: preferred },
  });
});

test('what was done is noted in an annotation beside the others', () => {
  const object = deployment({ metadata: { annotations: { other: 'stays' } } });
  const after = applied(object, repair(object, 'auto')?.patch ?? []);
  assert.deepEqual(objectAt(objectAt(after, 'metadata'), 'annotations'), {
    other: 'stays',
    [MUTATED_ANNOTATION]: 'recreate',
  });
});

test('whether the manifest sets it is asked of the field that was changed', () => {
  const managedFields = [{ operation: 'Apply', fieldsV1: { 'f:spec': { 'f:strategy': {} } } }];
  assert.equal(repair(deployment({ metadata: { managedFields } }), 'recreate')?.declared, 'yes');
  assert.equal(repair(deployment({ metadata: { managedFields } }), 'pod-affinity')?.declared, 'no');
  assert.equal(repair(deployment({}), 'auto')?.declared, 'unknown');
});

test('the namespace’s label counts if it can be read and is one of the values', () => {
  const labelled = (value: string) => mutateValueFrom(known(new Map([['rwo-guard.dev/mutate', value]])));
  assert.deepEqual(MUTATE_VALUES.map(labelled), [...MUTATE_VALUES]);
  assert.equal(labelled('Recreate'), undefined);
  assert.equal(mutateValueFrom(known(new Map())), undefined);
  assert.equal(mutateValueFrom(unknown('namespaces are not listed yet')), undefined);
});

const anyAffinity = fc.subarray([SELF, CACHE, { ...SELF, topologyKey: 'topology.kubernetes.io/zone' }]);
const anyWritten: fc.Arbitrary<Written> = fc.record({
  claim: fc.constantFrom('disk', 'one-pod', 'shared', 'missing'),
  replicas: fc.nat(4),
  strategy: fc.constantFrom(undefined, ROLLING, RECREATE, LEFT_OVER, {
    rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
  }),
  affinity: fc.option(
    fc.record({
      podAffinity: anyAffinity.map((terms) => ({ [REQUIRED]: terms })),
      podAntiAffinity: fc.subarray([SELF]).map((terms) => ({ [REQUIRED]: terms })),
    }),
    { nil: undefined },
  ),
  metadata: fc.constantFrom(undefined, { annotations: { other: 'a' } }, { annotations: null }),
  spec: fc.constantFrom(undefined, { paused: true }),
});
const anyWanted = fc.constantFrom(...MUTATE_VALUES);

function withoutReplicas(object: JsonObject): unknown {
  return { ...objectAt(object, 'spec'), strategy: undefined, template: undefined };
}

test('a repaired object needs no repair, and a repair is the same each time', () => {
  fc.assert(
    fc.property(anyWritten, anyWanted, fc.constantFrom(undefined, INJECTED), (written, wanted, previous) => {
      const object = deployment(written);
      const first = repair(object, wanted, previous);
      assert.deepEqual(repair(object, wanted, previous), first);
      if (first === undefined) return;
      const after = applied(object, first.patch);
      assert.equal(repair(after, wanted, previous), undefined);
      assert.equal(repair(after, wanted, after), undefined);
    }),
    { numRuns: 500 },
  );
});

test('no repair touches anything but strategy, template and its own annotation', () => {
  fc.assert(
    fc.property(anyWritten, anyWanted, (written, wanted) => {
      const object = deployment(written);
      const after = applied(object, repair(object, wanted)?.patch ?? []);
      assert.deepEqual(withoutReplicas(after), withoutReplicas(object));
      for (const member of ['apiVersion', 'kind']) assert.deepEqual(after[member], object[member]);
    }),
  );
});

test('a repair ends what blocks the rollout, and pod affinity what splits the replicas too', () => {
  fc.assert(
    fc.property(anyWritten, anyWanted, (written, wanted) => {
      const object = deployment({ ...written, spec: {} });
      const done = repair(object, wanted);
      if (done === undefined) return;
      const { rollout, steady } = certainOf(applied(object, done.patch));
      assert.ok(!rollout.waits.some(isForEver));
      if (done.mutation === 'pod-affinity') assert.ok(!steady.stuck && !rollout.stuck);
    }),
    { numRuns: 500 },
  );
});

for (const rule of ['rollout-deadlock', 'rollout-blocked']) {
  test(`every ${rule} that the fixtures show of an object as it stands is ended by a repair that is asked for as auto`, () => {
    for (const name of fixtureNames(rule, 'fail')) {
      const { state, subject } = fixture(rule, 'fail', name);
      const gathered = (object: JsonObject) =>
        gatherFacts(workloadFrom('Deployment', object), state, storageMatrix(), new Budget()).facts;
      // A repair looks at the object as it stands, and not at what an old template may be in the way of.
      const written = forecast(gathered(subject)).certain;
      if (!written.rollout.waits.some(isForEver)) continue;
      const done = repairOf(gathered(subject), subject, 'auto', undefined);
      // Where only old pods are in the way, the manifest by itself needs none.
      assert.equal(done !== undefined, !name.endsWith('-for-pods-apart'), name);
      if (done === undefined) continue;
      const after = applied(subject, done.patch);
      assert.ok(isObject(after));
      assert.ok(!forecast(gathered(after)).certain.rollout.waits.some(isForEver), name);
    }
  });
}

function isForEver({ heldBy, lasts }: Wait): boolean {
  return heldBy !== 'replicas' && heldBy !== 'others' && lasts === 'for-ever';
}
