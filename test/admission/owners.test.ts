import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import type { ObjectRef } from '../../src/snapshot/snapshot.ts';
import { cronJob, job, replicaSet, scheduled } from './kinds.ts';
import {
  claim,
  container,
  controlledBy,
  creating,
  deployment,
  enforcing,
  operator,
  type Scene,
  scene,
  silent,
  storing,
  type Told,
  updating,
} from './scene.ts';

const ofWeb = (uid = '1') => controlledBy('apps/v1', 'Deployment', uid, 'web');
const ofNightly = (uid = '1') => controlledBy('batch/v1', 'CronJob', uid, 'web');
const recreate = { strategy: { type: 'Recreate' } };

/** What the rules said: those of Jobs end, so that of them is warned. */
function isTold({ response, warnings }: Told): boolean {
  return !response.allowed || warnings.some((warning) => warning.endsWith('[replicas-split]'));
}

/** Three pods of one claim, which are split. */
const pods = { replicas: 3 };
const runs = { parallelism: 3 };

const owned: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ['ReplicaSet', replicaSet(pods, ofWeb()), deployment({ ...recreate, ...pods }, { uid: '1' })],
  ['Job', job(runs, ofNightly()), cronJob(runs, { uid: '1' })],
];

const enforced = (lookUp = storing()): Scene => scene({ labels: enforcing, lookUp });

for (const [kind, object, owner] of owned) {
  test(`a ${kind} says what its owner said, who was judged for it`, async () => {
    const watching = enforced();
    watching.add(owner);
    for (const cluster of [watching, enforced(storing(owner))]) {
      const { response, warnings } = await cluster.validate(creating(object));
      assert.deepEqual([response.allowed, warnings], [true, []]);
    }
  });

  test(`a ${kind} whose owner is another object of that name is judged`, async () => {
    const other = { ...owner, metadata: { namespace: 'shop', name: 'web', uid: '2' } };
    const watching = enforced();
    watching.add(other);
    for (const cluster of [watching, enforced(storing(other))]) {
      assert.ok(isTold(await cluster.validate(creating(object))));
    }
  });

  test(`a ${kind} whose owner nobody can look up is warned of, with the reason, and never denied`, async () => {
    const { response, warnings } = await enforced(silent).validate(creating(object));
    assert.equal(response.allowed, true);
    assert.match(warnings.join('\n'), /\[replicas-split\]\n.*not denied, as its owner .* was not read in time/);
  });

  test(`a ${kind} that is taken off its owner is judged like a new one`, async () => {
    const alone = { ...object, metadata: { namespace: 'shop', name: 'web' } };
    const cluster = enforced(storing(owner));
    assert.ok(isTold(await cluster.validate(updating(object, alone))));
    assert.equal((await cluster.validate(updating(alone, alone))).observation.verdict, 'skip');
  });

  test(`a ${kind} that is given another owner is judged like a new one`, async () => {
    const other = { ...object, metadata: replicaSet({}, ofWeb('9')).metadata };
    assert.ok(isTold(await enforced(storing(owner)).validate(updating(object, other))));
  });
}

test('an owner answers for no claim, no pods and no runs beside its own', async () => {
  const cluster = enforced(
    storing(
      deployment({ ...recreate, ...pods }, { uid: '1' }, { volumes: [] }),
      scheduled({ suspend: true }, runs, { uid: '1' }),
    ),
  );
  for (const object of [replicaSet(pods, ofWeb()), job(runs, ofNightly())]) {
    assert.ok(isTold(await cluster.validate(creating(object))));
  }
});

test('what is no name is no owner, and is never asked for', async () => {
  const asked: ObjectRef[] = [];
  const cluster = enforced(async (refs) => {
    asked.push(...refs);
    return [];
  });
  for (const name of ['', '..', 'a/b', 'web?watch=1', 'x'.repeat(300)]) {
    const object = replicaSet(pods, controlledBy('apps/v1', 'Deployment', '1', name));
    assert.equal((await cluster.validate(creating(object))).response.allowed, false);
  }
  assert.deepEqual(asked, []);
});

test('pods whose owner is made up count beside others, and those of a real one once', async () => {
  const byName = (name: string, uid: string, metadata = {}) => deployment(recreate, { name, uid, ...metadata });
  const shared = async (...there: readonly JsonObject[]): Promise<string> => {
    const cluster = scene();
    cluster.add(...there);
    return (await cluster.validate(creating(byName('new', '7')))).warnings.join();
  };
  const made = (uid: string) => replicaSet({}, { name: 'web-1', ...ofWeb(uid) });
  assert.match(await shared(byName('web', '1'), made('1')), /Deployment web uses claim data too/);
  assert.match(await shared(byName('web', '2'), made('1')), /Deployment web and 1 more use claim data too/);
  assert.match(await shared(made('1')), /ReplicaSet web-1 uses claim data too/);
  assert.match(
    await shared(deployment({ replicas: 0 }, { uid: '1' }), made('1')),
    /ReplicaSet web-1 uses claim data too/,
  );
});

test('a workload shares no claim with the ReplicaSet that it made', async () => {
  const cluster = scene();
  const web = deployment(recreate, { uid: '1' });
  cluster.add(replicaSet({}, { name: 'web-1', ...ofWeb() }));
  const image = deployment(recreate, { uid: '1' }, { containers: [container('web:2')] });
  assert.deepEqual((await cluster.validate(updating(web, image))).warnings, []);
});

for (const [what, reference, repaired] of [
  ['a workload that is not there', controlledBy('apps/v1', 'StatefulSet'), true],
  ['what there is not in the API', controlledBy('apps/v1', 'Shop'), true],
  ['a workload that is there, as operators do it', controlledBy('apps/v1', 'Deployment', '1', 'db-operator'), false],
  ['a custom resource', controlledBy('example.com/v1', 'Shop'), false],
] as const) {
  test(`a Deployment controlled by ${what} is ${repaired ? 'repaired' : 'left as it is'}`, async () => {
    const lookUp = storing(deployment({}, { name: 'db-operator', uid: '1' }));
    const cluster = scene({ labels: { 'rwo-guard.dev/mutate': 'recreate' }, lookUp });
    const { response } = await cluster.mutate(creating(deployment({}, reference)));
    assert.equal(response.patch !== undefined, repaired);
  });
}

test('a Deployment whose owner nobody can look up is left as it is', async () => {
  const cluster = scene({ labels: { 'rwo-guard.dev/mutate': 'recreate' }, lookUp: silent });
  const { response } = await cluster.mutate(creating(deployment({}, controlledBy('apps/v1', 'StatefulSet'))));
  assert.equal(response.patch, undefined);
});

/** An enforcing scene in which a Deployment waits for its claim. */
function waiting(lookUp = storing()): Scene {
  const cluster = enforced(lookUp);
  cluster.state.tables.PersistentVolumeClaim.clear();
  cluster.add(deployment({}, { uid: '1' }));
  return cluster;
}

const person = {};
const sent = { userInfo: operator };
const sameNamespace = { userInfo: { username: 'system:serviceaccount:shop:builder' } };
const ofDatabase = controlledBy('example.com/v1', 'Database');

for (const [what, reference, sender, allowed] of [
  ['with a custom resource as owner, by a person', ofDatabase, person, false],
  ['with a custom resource as owner, by a service account of its namespace', ofDatabase, sameNamespace, false],
  ['with a custom resource as owner, by an operator of another namespace', ofDatabase, sent, true],
  ['with a workload that is there as owner, by a person', ofWeb(), person, false],
  ['with a workload that is there as owner, by an operator', ofWeb(), sent, true],
  ['with an owner that is made up, by an operator', ofWeb('2'), sent, false],
  ['without an owner, by an operator', {}, sent, false],
] as const) {
  test(`a late claim ${what} is ${allowed ? 'warned of' : 'denied'}`, async () => {
    const { response, warnings } = await waiting().validate(creating(claim('data', {}, reference), sender));
    assert.equal(response.allowed, allowed);
    assert.equal(/\[rollout-deadlock\]/.test(warnings.join()), allowed);
  });
}

test('a late claim of an operator whose owner nobody can look up is warned of, with the reason', async () => {
  const made = creating(claim('data', {}, controlledBy('apps/v1', 'StatefulSet', '1', 'db')), sent);
  const { response, warnings } = await waiting(silent).validate(made);
  assert.equal(response.allowed, true);
  assert.match(warnings.join('\n'), /\[rollout-deadlock\]\nnot denied, as its owner .* was not read in time/);
});

test('a claim that a person takes off its owner is judged like a new one', async () => {
  const made = claim('data', {}, ofDatabase);
  assert.equal((await waiting().validate(updating(made, claim()))).response.allowed, false);
  assert.equal((await waiting().validate(updating(made, claim(), sent))).response.allowed, true);
  assert.equal((await waiting().validate(updating(claim(), made))).observation.verdict, 'skip');
});
