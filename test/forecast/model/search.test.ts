import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecast, type How, MOST_STATES } from '../../../src/forecast/model/forecast.ts';
import { reach } from '../../../src/forecast/model/search.ts';
import type { State } from '../../../src/forecast/model/state.ts';
import { situationsUnplayed } from '../../oracle/classes.ts';
import { chose } from '../../oracle/dimensions.ts';
import { type Foretold, forecastOf, PRODUCT } from '../../oracle/forecast-of.ts';
import { planOf } from '../../oracle/generate.ts';
import { KINDS, type Plan } from '../../oracle/plan.ts';

/** From a number to the next two, up to 100. */
const onwards = ([at = 0]: State): readonly State[] => [[at + 1], [at + 2]].filter(([next = 0]) => next <= 100);

test('a search looks at each state once', () => {
  const budget = { left: 1000 };
  const { states, ends, isWhole } = reach({ starts: [[0]], atOnce: [], steps: [onwards], slow: [] }, budget);
  assert.equal(states.length, 101);
  assert.equal(budget.left, 1000 - 101);
  assert.deepEqual({ ends, isWhole }, { ends: [100], isWhole: true });
});

test('a search ends with its budget, and says so', () => {
  const budget = { left: 10 };
  const { isWhole } = reach({ starts: [[0]], atOnce: [], steps: [onwards], slow: [] }, budget);
  assert.deepEqual({ isWhole, left: budget.left }, { isWhole: false, left: 0 });
});

test('of steps that are taken at once the first one is the only one', () => {
  const atOnce = ([at = 0]: State): readonly State[] => (at < 5 ? [[at + 1], [at + 50]] : []);
  const { states } = reach({ starts: [[0]], atOnce: [atOnce], steps: [], slow: [] }, { left: 1000 });
  assert.deepEqual(states, [[0], [1], [2], [3], [4], [5]]);
});

test('what takes its time comes when nothing else is left', () => {
  const quick = ([at = 0]: State): readonly State[] => (at < 3 ? [[at + 1]] : []);
  const slow = ([at = 0]: State): readonly State[] => (at < 10 ? [[10]] : []);
  const { states } = reach({ starts: [[0]], atOnce: [], steps: [quick], slow: [slow] }, { left: 1000 });
  assert.deepEqual(states, [[0], [1], [2], [3], [10]]);
});

test('one budget is for all searches of a forecast, and without one its absence of hazards is open', () => {
  const [situation] = situationsUnplayed(plan({ replicas: 3, strategy: '1/0' }));
  assert.ok(situation !== undefined);
  const open = [MOST_STATES, 5].map(
    (left) =>
      forecastOf(situation, {
        ...PRODUCT,
        forecast: (facts, running) => forecast(facts, running, { budget: { left } }),
      }).open.length,
  );
  assert.deepEqual(open, [0, 1]);
});

/** Of replicas there may be as many as an int32 holds. */
for (const replicas of [1000, 2_147_483_647]) {
  test(`${replicas} replicas take no more states than four`, () => {
    const counts = [4, replicas].map((pods) => statesFor(plan({ replicas: pods, strategy: '1/0' })));
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
    forecast(facts, running, { ...how, budget: { left: 200_000 } });
  return situationsUnplayed(asked).map((situation) => {
    const { multiAttach, stuck } = forecastOf(situation, { ...PRODUCT, forecast: search });
    return { multiAttach, stuck };
  });
}

function statesFor(asked: Plan): number {
  const budget = { left: MOST_STATES };
  for (const situation of situationsUnplayed(asked)) {
    forecastOf(situation, { ...PRODUCT, forecast: (facts, running) => forecast(facts, running, { budget }) });
  }
  return MOST_STATES - budget.left;
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
