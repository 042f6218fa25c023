import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Auditor } from '../../src/audit/auditor.ts';
import { standingIn } from '../../src/audit/standing-objects.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { rules } from '../../src/rules/index.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { node } from '../admission/scene.ts';
import { FakeLog } from '../cluster/fake-api.ts';
import { hazard } from './audited.ts';
import { ManualTime } from './manual-time.ts';

/** How long judging one object takes in this test. */
const ONE_MS = 2;

test('however much there is to judge, nine tenths of the time are left to reviews, and never is more than an instant taken', async () => {
  const state = new ClusterState();
  const objects = [node('a'), node('b'), ...Array.from({ length: 500 }, (_, n) => hazard(`web-${n}`)).flat()];
  for (const object of objects) putObject(state, object);
  const time = new ManualTime();
  const judged: number[] = [];
  const auditor = new Auditor({
    by: {
      snapshot: state,
      matrix: storageMatrix(),
      judge: { rules },
      defaultMode: 'warn',
      exemptions: () => ({ policy: 'allow' }),
      exemptNamespaces: [],
    },
    standing: standingIn(state.tables),
    isCurrent: () => true,
    time,
    log: new FakeLog(),
    failed: () => undefined,
  });
  const leaving = new AbortController();
  const teller = {
    judged() {
      judged.push(time.now());
      time.spend(ONE_MS);
    },
    run: async () => undefined,
  };
  const running = auditor.run([teller], leaving.signal);
  await time.pass(10_000);
  const busy = judged.length * ONE_MS;
  assert.ok(busy > 500 && busy <= 1_000, `${busy} of 10,000 ms`);
  assert.ok(longestRun(judged) <= 3 * ONE_MS, `${longestRun(judged)} ms without a pause`);
  assert.ok(auditor.pending > 0);
  await time.pass(60_000);
  assert.equal(judged.length, 1_000);
  assert.equal(auditor.pending, 0);
  leaving.abort();
  await running;
});

/** Milliseconds from the first of those that came without a pause until the last was done. */
function longestRun(times: readonly number[]): number {
  let [longest, begun] = [0, times[0] ?? 0];
  for (const [n, at] of times.entries()) {
    if (n > 0 && at - (times[n - 1] ?? 0) > ONE_MS) begun = at;
    longest = Math.max(longest, at + ONE_MS - begun);
  }
  return longest;
}
