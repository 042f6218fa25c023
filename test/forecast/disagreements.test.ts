import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { everyFixture, FIXTURES } from '../fixtures.ts';
import { HAPPENINGS } from '../oracle/fixture.ts';
import { forecastOf } from '../oracle/forecast-of.ts';
import { line, situationFrom } from './situation-from.ts';

/** Fixtures in which real controllers once did something else than was foretold tell what they did. */
for (const { name, file } of everyFixture()) {
  const text = readFileSync(new URL(file, FIXTURES), 'utf8');
  if (!text.includes('# Happened:')) continue;
  test(`what real controllers do is foretold: ${name.replaceAll('-', ' ')}`, () => {
    const { open, multiAttach, stuck, reasons } = forecastOf(situationFrom(text));
    assert.deepEqual(open, []);
    assert.deepEqual({ multiAttach, stuck }, HAPPENINGS.get(line(text, 'Happened')), reasons.join());
  });
}
