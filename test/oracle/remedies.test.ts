import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { objectAt } from '../../src/objects/json.ts';
import { COME_TOGETHER } from '../../src/rules/remedy.ts';
import { everyFixture, fixture, findingsIn as foundIn } from '../fixtures.ts';
import { situationsUnplayed } from './classes.ts';
import type { Plan } from './plan.ts';
import { findingsIn, inWords, remediesFor, tellsOfPodsThatWait } from './remedies.ts';

/** Its autoscaler would put the replicas back. */
const SCALED_BACK = 'autoscaler-keeps-several';

for (const { rule, verdict, name } of everyFixture()) {
  if (name === SCALED_BACK) continue;
  const bad = fixture(rule, verdict, name);
  const found = foundIn(bad).filter(tellsOfPodsThatWait);
  if (found.length === 0) continue;
  test(`what is told of ${rule} ${name} is known, and leaves nothing to tell`, () => {
    const { change } = inWords(found.map(({ fix }) => fix.short));
    if (change === undefined) return;
    const left = foundIn({ ...bad, subject: change(bad.subject) }).filter(tellsOfPodsThatWait);
    assert.deepEqual(
      left.map(({ detail, fix }) => `${detail}: ${fix.short}`),
      [],
    );
  });
}

const NUMBERS = 'spec.strategy.rollingUpdate: ';

for (const { rule, verdict, name } of everyFixture()) {
  const bad = fixture(rule, verdict, name);
  const told = [
    ...new Set(foundIn(bad).flatMap(({ or }) => (or?.startsWith(NUMBERS) ? [or.slice(NUMBERS.length)] : []))),
  ];
  for (const numbers of told) {
    test(`the other way, ${numbers}, ends what is told of rollouts in ${rule} ${name}`, () => {
      const spec = objectAt(bad.subject, 'spec');
      const rollingUpdate = { ...objectAt(objectAt(spec, 'strategy'), 'rollingUpdate'), ...parse(numbers) };
      const subject = { ...bad.subject, spec: { ...spec, strategy: { type: 'RollingUpdate', rollingUpdate } } };
      const left = foundIn({ ...bad, subject }).filter(({ judges }) => judges === 'rollout');
      assert.deepEqual(
        left.map(({ rule: { id }, detail }) => `${id}: ${detail}`),
        [],
      );
    });
  }
}

test('nothing is made of words that nobody knows', () => {
  assert.throws(() => inWords(['pray']), /Nobody knows what "pray" asks for/);
});

test('Recreate counts more than a number for the same field', () => {
  const strategyAfter = (...words: readonly string[]) =>
    objectAt(objectAt(inWords(words).change?.({ spec: { strategy: {} } }), 'spec'), 'strategy');
  assert.deepEqual(strategyAfter('set maxUnavailable: 1'), {
    type: 'RollingUpdate',
    rollingUpdate: { maxUnavailable: 1 },
  });
  assert.deepEqual(strategyAfter(COME_TOGETHER.short, 'set maxUnavailable: 1'), { type: 'Recreate' });
});

for (const { kind, wanted, one } of [
  { kind: 'Deployment', wanted: { replicas: 3 }, one: { replicas: 1 } },
  { kind: 'Job', wanted: { parallelism: 3, completions: 3 }, one: { parallelism: 1, completions: 3 } },
  {
    kind: 'CronJob',
    wanted: { jobTemplate: { spec: { parallelism: 3 } } },
    one: { jobTemplate: { spec: { parallelism: 1 } } },
  },
]) {
  test(`a ${kind} is made to run one pod`, () => {
    const { change } = inWords(['run one, or use ReadWriteMany']);
    assert.deepEqual(change?.({ kind, spec: wanted }), { kind, spec: one });
  });
}

const PLAN: Plan = {
  id: '1-0',
  kind: 'Deployment',
  action: 'update',
  nodes: 2,
  replicas: 1,
  from: 1,
  strategy: '1/0',
  storage: 'csi',
  traits: [],
};

for (const { name, plan, told } of [
  {
    name: 'an update that is stuck',
    plan: {},
    told: ['lint --fix: recreate', 'set strategy Recreate'],
  },
  {
    name: 'an update of several replicas',
    plan: { replicas: 2, from: 2 },
    told: ['lint --fix: pod-affinity', 'run one, with Recreate; set strategy Recreate'],
  },
  {
    name: 'a scale, which starts no rollout',
    plan: { action: 'scale', replicas: 2, strategy: 'Recreate' },
    told: ['lint --fix: pod-affinity', 'run one, or use ReadWriteMany'],
  },
  {
    name: 'pods of a kind that nothing is written into',
    plan: { kind: 'StatefulSet', action: 'scale', replicas: 2 },
    told: ['run one, or use ReadWriteMany'],
  },
  {
    name: 'a claim of two workloads',
    plan: { strategy: 'Recreate', traits: [{ trait: 'neighbour', variant: 'deployment' }] },
    told: ['give each its own'],
  },
  { name: 'what nothing is found in', plan: { storage: 'csi-rwx' }, told: [] },
] as readonly { readonly name: string; readonly plan: Partial<Plan>; readonly told: readonly string[] }[]) {
  test(`what is played for ${name}`, () => {
    const situations = situationsUnplayed({ ...PLAN, ...plan });
    assert.deepEqual(
      situations.flatMap((situation) => remediesFor(situation, findingsIn(situation))).map((remedy) => remedy.name),
      told,
    );
  });
}
