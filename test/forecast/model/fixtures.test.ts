import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecast } from '../../../src/forecast/model/forecast.ts';
import type { Finding } from '../../../src/rules/evaluate.ts';
import { everyFixture, findingsIn, fixture } from '../../fixtures.ts';

/** Of pods of Jobs that end today's forecast knows nothing. */
const search: typeof forecast = (facts, running, how) => forecast(facts, running, { ...how, podsEnd: false });

/** Rules, remedies and claims depend on causes, so that findings tell more than outcomes. */
for (const { rule, verdict, name } of everyFixture()) {
  test(`the search finds the same for ${rule}, ${verdict}: ${name.replaceAll('-', ' ')}`, () => {
    const judged = fixture(rule, verdict, name);
    assert.deepEqual(told(findingsIn(judged, search)), told(findingsIn(judged)));
  });
}

function told(findings: readonly Finding[]): readonly string[] {
  return findings
    .map(({ rule, severity, claims, detail, fix }) => [rule.id, severity, claims.join(), detail, fix].join('; '))
    .toSorted();
}
