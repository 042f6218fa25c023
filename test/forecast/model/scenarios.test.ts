import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { forecast } from '../../../src/forecast/model/forecast.ts';
import { everyFixture, findingsIn, fixture } from '../../fixtures.ts';
import { HAPPENINGS } from '../../oracle/fixture.ts';
import { forecastOf, PRODUCT } from '../../oracle/forecast-of.ts';
import { line, situationFrom } from '../situation-from.ts';

/** Fixtures that today's forecast judges otherwise: they join the others in `test/fixtures` when the search judges. */
const SCENARIOS = new URL('scenarios/', import.meta.url);

for (const { rule, verdict, name, file } of everyFixture(SCENARIOS)) {
  test(`the search ${verdict === 'fail' ? 'reports' : 'passes'} for ${rule}: ${name.replaceAll('-', ' ')}`, () => {
    const ids = findingsIn(fixture(rule, verdict, name, SCENARIOS), forecast).map((found) => found.rule.id);
    assert.equal(ids.includes(rule), verdict === 'fail', ids.join());
    assert.ok(!ids.includes('claim-unknown'), ids.join());
  });

  const text = readFileSync(new URL(file, SCENARIOS), 'utf8');
  if (!text.includes('# Happened:')) continue;
  test(`what real controllers do is found by the search: ${name.replaceAll('-', ' ')}`, () => {
    const { open, multiAttach, stuck, reasons } = forecastOf(situationFrom(text), { ...PRODUCT, forecast });
    assert.deepEqual(open, []);
    assert.deepEqual({ multiAttach, stuck }, HAPPENINGS.get(line(text, 'Happened')), reasons.join());
  });
}
