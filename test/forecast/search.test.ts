import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { forecast, type How } from '../../src/forecast/forecast.ts';
import { type Looking, reach, shortestWay } from '../../src/forecast/search.ts';
import type { State } from '../../src/forecast/state.ts';
import { situationsUnplayed } from '../oracle/classes.ts';
import { chose } from '../oracle/dimensions.ts';
import { type Foretold, forecastOf, PRODUCT } from '../oracle/forecast-of.ts';
import { planOf } from '../oracle/generate.ts';
import { KINDS, type Plan } from '../oracle/plan.ts';

/** From a number to the next two, up to 100. */
const onwards = ([at = 0]: State): readonly State[] => [[at + 1], [at + 2]].filter(([next = 0]) => next <= 100);

function looking(operations: number): Looking {
  return {
    isUrgent: () => false,
    symmetry: () => undefined,
    isLast: () => false,
    operations: 1,
    budget: new Budget(operations),
  };
}

test('a search looks at each state once', () => {
  const how = looking(1000);
  const { states, ends, isWhole } = reach({ starts: [[0]], atOnce: [], steps: [onwards], slow: [] }, how);
  assert.equal(states.length, 101);
  assert.equal(ends.length, 1);
  assert.deepEqual({ end: states[ends[0] ?? 0], isWhole }, { end: [100], isWhole: true });
});

test('a search ends with half of what is left of the budget, and says so', () => {
  const how = looking(60);
  const { isWhole } = reach({ starts: [[0]], atOnce: [], steps: [onwards], slow: [] }, how);
  assert.deepEqual(
    { isWhole, left: how.budget.left, gaveUp: how.budget.gaveUp },
    { isWhole: false, left: 30, gaveUp: true },
  );
});

test('a search meets an end soon, however much there is beside it', () => {
  const doubled = (state: State): readonly State[] =>
    state.length < 10
      ? [
          [...state, 0],
          [...state, 1],
        ]
      : [];
  const { ends } = reach({ starts: [[0]], atOnce: [], steps: [doubled], slow: [] }, looking(70));
  assert.ok(ends.length > 0);
});

test('a search goes on first from where something is about to go wrong', () => {
  const step = (state: State): readonly State[] =>
    state.length < 3
      ? [
          [...state, 7],
          [...state, 0],
        ]
      : [];
  const how = { ...looking(1000), isUrgent: (state: State) => state.includes(7) };
  const { states, ends } = reach({ starts: [[1]], atOnce: [], steps: [step], slow: [] }, how);
  assert.ok(states[ends[0] ?? 0]?.includes(7));
});

test('of steps that are taken at once the first one is the only one', () => {
  const atOnce = ([at = 0]: State): readonly State[] => (at < 5 ? [[at + 1], [at + 50]] : []);
  const { states } = reach({ starts: [[0]], atOnce: [atOnce], steps: [], slow: [] }, looking(1000));
  assert.deepEqual(states, [[0], [1], [2], [3], [4], [5]]);
});

test('what takes its time comes when nothing else is left', () => {
  const quick = ([at = 0]: State): readonly State[] => (at < 3 ? [[at + 1]] : []);
  const slow = ([at = 0]: State): readonly State[] => (at < 10 ? [[10]] : []);
  const { states } = reach({ starts: [[0]], atOnce: [], steps: [quick], slow: [slow] }, looking(1000));
  assert.deepEqual(states, [[0], [1], [2], [3], [10]]);
});

test('the way that is told is the shortest one', () => {
  const search = { starts: [[0]], atOnce: [], steps: [onwards], slow: [] };
  assert.equal(shortestWay(search, ([at]) => at === 10, looking(1000))?.length, 6);
});

test('no way is told where the budget ends before one is found', () => {
  const search = { starts: [[0]], atOnce: [], steps: [onwards], slow: [] };
  assert.equal(
    shortestWay(search, ([at]) => at === 100, looking(60)),
    undefined,
  );
});

test('one budget is for all searches of a forecast, and where it ends nothing is called safe', () => {
  const [situation] = situationsUnplayed(plan({ replicas: 3, strategy: '1/0' }));
  assert.ok(situation !== undefined);
  const open = [45_000, 100].map((most) => {
    let isOpen = false;
    forecastOf(situation, {
      ...PRODUCT,
      forecast: (facts, running) => {
        const said = forecast({ ...facts, budget: new Budget(most) }, running);
        isOpen = said.overBudget;
        return said;
      },
    });
    return isOpen;
  });
  assert.deepEqual(open, [false, true]);
});

/** Of replicas there may be as many as an int32 holds. */
for (const replicas of [1000, 2_147_483_647]) {
  test(`${replicas} replicas take no more operations than four`, () => {
    const counts = [4, replicas].map((pods) => operationsFor(plan({ replicas: pods, strategy: '1/0' })));
    assert.ok((counts[1] ?? 0) <= (counts[0] ?? 0), counts.join());
  });
}

test('what is taken at once changes no answer', () => {
  for (let index = 0; index < 120; index++) {
    const drawn = planOf(77, index, { kinds: KINDS, without: new Set(['autoscaler']) });
    // Every order of more pods than these is very many.
    const few = { ...drawn, replicas: Math.min(2, drawn.replicas), from: Math.min(2, drawn.from) };
    assert.deepEqual(said(few, { takesAtOnce: false }), said(few, {}), JSON.stringify(few));
  }
});

test('three pods stand for five', () => {
  for (let index = 0; index < 40; index++) {
    const drawn = planOf(78, index, { kinds: ['Deployment', 'ReplicaSet', 'Job'], without: APART });
    if (/^inline-(aws|gce)$/.test(drawn.storage) || chose(drawn, 'init-container', /port/)) continue;
    const many = { ...drawn, replicas: 5, from: 5 };
    assert.deepEqual(said(many, { cutsReplicas: false }), said(many, {}), JSON.stringify(many));
  }
});

/** Of pods that keep apart each one counts; an autoscaler's maximum would be below the replicas. */
const APART = new Set(['autoscaler', 'anti-affinity', 'host-port', 'host-network', 'spread']);

function said(asked: Plan, how: Partial<How>): readonly Pick<Foretold, 'multiAttach' | 'stuck'>[] {
  const search: typeof PRODUCT.forecast = (facts, running) =>
    forecast({ ...facts, budget: new Budget(10_000_000) }, running, how);
  return situationsUnplayed(asked).map((situation) => {
    const { multiAttach, stuck } = forecastOf(situation, { ...PRODUCT, forecast: search });
    return { multiAttach, stuck };
  });
}

function operationsFor(asked: Plan): number {
  const budget = new Budget(1_000_000);
  for (const situation of situationsUnplayed(asked)) {
    forecastOf(situation, { ...PRODUCT, forecast: (facts, running) => forecast({ ...facts, budget }, running) });
  }
  return budget.spent;
}

function plan(more: Partial<Plan>): Plan {
  return {
    id: '1-1',
    kind: 'Deployment',
    action: 'update',
    nodes: 3,
    replicas: 1,
    from: 1,
    strategy: 'default',
    storage: 'csi',
    traits: [],
    ...more,
  };
}
