import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COME_TOGETHER } from '../../src/rules/remedy.ts';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { situationsUnplayed } from './classes.ts';
import type { Plan } from './plan.ts';
import { inWords } from './remedies.ts';
import { scenarioOf } from './scenario.ts';
import { remedied } from './trying.ts';

const PLAN: Plan = {
  id: '1-0',
  kind: 'Deployment',
  action: 'update',
  nodes: 2,
  replicas: 2,
  from: 1,
  strategy: '1/0',
  storage: 'csi',
  traits: [],
};

interface Specified {
  readonly spec?: { readonly replicas?: number; readonly strategy?: { readonly type?: string } };
}

/** The action, and the replicas and the strategy at each step. */
function stepsAfter(words: string, plan: Partial<Plan>, { index = 0, created = false } = {}) {
  const asked = { ...PLAN, ...plan };
  const [situation] = situationsUnplayed(asked);
  assert.ok(situation);
  const action = created ? 'create' : situation.action;
  const after = remedied(scenarioOf(asked), inWords([words]), { situation: { ...situation, action } }, index);
  const step = (object: KubernetesObject | undefined) => {
    const { spec } = (object ?? {}) as Specified;
    return object && [spec?.replicas, spec?.strategy?.type];
  };
  return after && { action: after.action, steps: [after.running, after.wanted, after.next].map(step) };
}

const ROLLING = [2, 'RollingUpdate'];
const ONE = [1, 'RollingUpdate'];
const RECREATE = [2, 'Recreate'];
const RUN_ONE = 'run one, or use ReadWriteMany';
const RECREATE_ONCE = COME_TOGETHER.short;

test('what runs stays as it was, and all that is asked for is changed', () => {
  const twice = { traits: [{ trait: 'paused', variant: 'unpaused' }] };
  assert.deepEqual(stepsAfter(RECREATE_ONCE, twice)?.steps, [ROLLING, RECREATE, RECREATE]);
});

test('a remedy for the second act leaves the first as it is', () => {
  const twice = { traits: [{ trait: 'paused', variant: 'unpaused' }] };
  assert.deepEqual(stepsAfter(RECREATE_ONCE, twice, { index: 1 })?.steps, [ROLLING, ROLLING, RECREATE]);
});

test('a scale to fewer replicas stays a scale, and one that changes more becomes an update', () => {
  const scale = { action: 'scale' } as const;
  assert.deepEqual(stepsAfter(RUN_ONE, scale), { action: 'scale', steps: [ONE, ONE, undefined] });
  assert.deepEqual(stepsAfter(RECREATE_ONCE, scale), { action: 'update', steps: [ONE, RECREATE, undefined] });
});

test('an autoscaler comes after the remedy', () => {
  const autoscaled = { action: 'scale', traits: [{ trait: 'autoscaler', variant: 'maximum' }] } as const;
  const steps = [ONE, [1, 'Recreate'], RECREATE];
  assert.deepEqual(stepsAfter(RECREATE_ONCE, autoscaled), { action: 'update', steps });
});

test('where the first pods never all ran, it is their creation that is changed', () => {
  assert.deepEqual(stepsAfter(RUN_ONE, {}, { created: true }), {
    action: 'create',
    steps: [undefined, ONE, undefined],
  });
});

test('what a person has to think about is not played', () => {
  assert.equal(stepsAfter('give each its own', {}), undefined);
});
