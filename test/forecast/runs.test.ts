import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecast } from '../../src/forecast/forecast.ts';
import { findingsIn, fixture } from '../fixtures.ts';

/** Pods that cannot use the claim at once. */
for (const name of [
  'job-with-two-pods-at-once',
  'job-that-empties-a-queue',
  'indexed-job-held-by-index',
  'cron-job-with-two-pods-at-once',
]) {
  test(`a run whose pods wait until others of it have ended is warned of: ${name.replaceAll('-', ' ')}`, () => {
    const judged = fixture('replicas-split', 'fail', name);
    const [found, ...more] = findingsIn(judged);
    assert.deepEqual([found?.rule.id, found?.severity, more], ['replicas-split', 'warning', []]);
    const lasting = findingsIn(judged, (facts, running) => forecast(facts, running, { podsEnd: false }));
    assert.deepEqual(
      lasting.map(({ severity }) => severity),
      ['error'],
    );
  });
}

test('a run that no end of a pod would help is no less grave', () => {
  const found = findingsIn(fixture('replicas-split', 'fail', 'job-off-its-local-volume'));
  assert.deepEqual(
    found.map(({ severity }) => severity),
    ['error'],
  );
});
