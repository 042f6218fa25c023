import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GuardRule } from '../../src/rules/rule.ts';
import { fixtureNames, type Verdict } from '../fixtures.ts';
import { answerTo, guardFixture } from '../guard-fixtures.ts';

const UNKNOWN = 'claim-unknown';

/** Sends what somebody does in each fixture of a guard: it reports those that fail, and the others for what they stand for. */
export function testGuardFixtures({ meta }: GuardRule): void {
  const found = async (verdict: Verdict, name: string) =>
    (await answerTo(guardFixture(meta.id, verdict, name))).observation.findings;

  for (const name of fixtureNames(meta.id, 'fail')) {
    test(`${meta.id} reports ${name}`, async () => {
      assert.deepEqual(
        (await found('fail', name)).map(({ rule, severity }) => [rule, severity]),
        [[meta.id, meta.severity]],
      );
    });
  }
  for (const name of fixtureNames(meta.id, 'pass')) {
    test(`${meta.id} passes ${name}`, async () => assert.deepEqual(await found('pass', name), []));
  }
  for (const name of fixtureNames(meta.id, 'inconclusive')) {
    test(`${meta.id} is inconclusive while ${name}, and denies nothing`, async () => {
      assert.deepEqual(await found('inconclusive', name), [{ rule: UNKNOWN, severity: 'info', outcome: 'warned' }]);
    });
  }
}
