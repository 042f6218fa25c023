import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { forecast } from '../../src/forecast/model/forecast.ts';
import { everyFixture, FIXTURES } from '../fixtures.ts';
import { HAPPENINGS } from '../oracle/fixture.ts';
import { forecastOf, PRODUCT } from '../oracle/forecast-of.ts';
import { line, situationFrom } from './situation-from.ts';

/** Pods of Jobs ran for ever there. */
const search: typeof PRODUCT.forecast = (facts, running) => forecast(facts, running, { podsEnd: false });

/** Fixtures in which real controllers once did something else than was foretold tell what they did. */
for (const { name, file } of everyFixture()) {
  const text = readFileSync(new URL(file, FIXTURES), 'utf8');
  if (!text.includes('# Happened:')) continue;
  for (const [how, product] of [
    ['foretold', PRODUCT],
    ['found by the search', { ...PRODUCT, forecast: search }],
  ] as const) {
    test(`what real controllers do is ${how}: ${name.replaceAll('-', ' ')}`, () => {
      const foretold = forecastOf(situationFrom(text), product);
      assert.deepEqual(foretold.open, []);
      const { multiAttach, stuck, reasons } = foretold;
      assert.deepEqual({ multiAttach, stuck }, HAPPENINGS.get(line(text, 'Happened')), reasons.join());
    });
  }
}
