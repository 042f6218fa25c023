import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecast } from '../../src/forecast/forecast.ts';
import type { Forecast, Outcome, Outcomes } from '../../src/forecast/outcome.ts';
import { findingsIn, fixture, fixtureNames } from '../fixtures.ts';

for (const [end, rules, severity] of [
  ['stuck', ['rollout-deadlock', 'rollout-blocked', 'replicas-split'], 'error'],
  ['multiAttach', ['rollout-transient'], 'warning'],
] as const) {
  for (const rule of rules) {
    test(`${rule} finds no ${severity} in a forecast that never says ${end}`, () => {
      const failing = fixtureNames(rule, 'fail').map((name) => fixture(rule, 'fail', name));
      const found = (ask?: typeof forecast) =>
        failing.filter((one) =>
          findingsIn(one, ask).some((finding) => finding.rule.id === rule && finding.severity === severity),
        ).length;
      assert.ok(found() > 0);
      assert.equal(
        found((...asked) => without(end, forecast(...asked))),
        0,
      );
    });
  }
}

function without(end: 'stuck' | 'multiAttach', { certain, possible, ...rest }: Forecast): Forecast {
  const outcome = (one: Outcome): Outcome => ({ ...one, [end]: false });
  const outcomes = ({ rollout, steady, autoscaled, ...more }: Outcomes): Outcomes => ({
    ...more,
    rollout: outcome(rollout),
    steady: outcome(steady),
    autoscaled: autoscaled && { ...autoscaled, outcome: outcome(autoscaled.outcome) },
  });
  return { ...rest, certain: outcomes(certain), possible: possible.map(outcomes) };
}
