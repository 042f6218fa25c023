import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LeaderElection } from '../../src/audit/leader-election.ts';
import { objectAt, stringAt } from '../../src/objects/json.ts';
import { FakeLog } from '../cluster/fake-api.ts';
import { FakeWriter } from './fake-writer.ts';
import { ManualTime } from './manual-time.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/guard/leases/audit';

function world(t: TestContext) {
  const [api, time, log] = [new FakeWriter(), new ManualTime(), new FakeLog()];
  const failures: string[] = [];
  /** A process that wants to lead. What it asks goes through `reaches`. */
  const candidate = (identity: string) => {
    const gone = new AbortController();
    const leaving = new AbortController();
    const network = { isCut: false };
    const send: FakeWriter['send'] = (...asked) =>
      network.isCut
        ? new Promise((_resolve, reject) => asked[3].signal.addEventListener('abort', reject))
        : api.send(...asked);
    const election = new LeaderElection({
      api: { send },
      lease: { namespace: 'guard', name: 'audit' },
      identity,
      time,
      log,
      failed: (what) => failures.push(what),
    });
    const terms: AbortSignal[] = [];
    const running = election.run((term) => {
      terms.push(term);
      return new Promise((resolve) => term.addEventListener('abort', () => resolve()));
    }, leaving.signal);
    t.after(async () => {
      gone.abort();
      leaving.abort();
      await time.pass(5_000);
    });
    return {
      terms,
      /** As a network that fails, or a process that is gone. */
      cut: () => {
        network.isCut = true;
      },
      leads: () => terms.some((term) => !term.aborted),
      async stop() {
        leaving.abort();
        await time.pass(0);
        await running;
      },
    };
  };
  const holder = () => stringAt(objectAt(api.objects.get(PATH), 'spec'), 'holderIdentity');
  return { api, time, log, failures, candidate, holder };
}

test('one of two leads', async (t) => {
  const { time, candidate, holder } = world(t);
  const [one, other] = [candidate('one'), candidate('other')];
  await time.pass(60_000);
  assert.deepEqual([one.leads(), other.leads()], [holder() === 'one', holder() === 'other']);
  assert.equal(one.terms.length + other.terms.length, 1);
});

test('a Lease that nobody holds is taken', async (t) => {
  const { api, time, candidate, holder } = world(t);
  api.objects.set(PATH, { metadata: { namespace: 'guard', name: 'audit', resourceVersion: '7' } });
  const one = candidate('one');
  await time.pass(0);
  assert.ok(one.leads());
  assert.equal(holder(), 'one');
});

test('a leader that falls silent stops before the other one begins, which is within 15 seconds', async (t) => {
  const { time, candidate } = world(t);
  const one = candidate('one');
  await time.pass(1_000);
  const other = candidate('other');
  await time.pass(30_000);
  one.cut();
  let [stopped, began] = [0, 0];
  for (let ms = 100; ms <= 15_000; ms += 100) {
    await time.pass(100);
    if (stopped === 0 && !one.leads()) stopped = ms;
    if (began === 0 && other.leads()) began = ms;
  }
  assert.ok(stopped > 0 && stopped < began, `stopped after ${stopped} ms, begun after ${began} ms`);
});

test('whenever the leader falls silent, another one leads within 15 seconds', async (t) => {
  for (let early = 0; early < 3_000; early += 250) {
    const { time, candidate } = world(t);
    const one = candidate('one');
    await time.pass(700);
    const other = candidate('other');
    await time.pass(20_000 + early);
    one.cut();
    await time.pass(15_000);
    assert.ok(other.leads(), `cut ${early} ms later`);
  }
});

test('a leader that is stopped gives the lease back, and the next one need not wait', async (t) => {
  const { time, candidate, holder } = world(t);
  const one = candidate('one');
  await time.pass(1_000);
  const other = candidate('other');
  await one.stop();
  assert.equal(holder(), '');
  await time.pass(2_000);
  assert.ok(other.leads());
});

test('a leader whose lease somebody else took stops', async (t) => {
  const { api, time, candidate } = world(t);
  const one = candidate('one');
  await time.pass(5_000);
  const lease = api.objects.get(PATH) ?? {};
  const spec = { ...objectAt(lease, 'spec'), holderIdentity: 'somebody' };
  api.objects.set(PATH, { metadata: { ...objectAt(lease, 'metadata'), resourceVersion: 'x' }, spec });
  await time.pass(3_000);
  assert.ok(!one.leads());
});

test('an API server that refuses for a moment ends nothing', async (t) => {
  const { api, time, candidate, failures } = world(t);
  const one = candidate('one');
  await time.pass(5_000);
  api.refuse = () => 500;
  await time.pass(4_000);
  api.refuse = () => undefined;
  await time.pass(30_000);
  assert.equal(one.terms.length, 1);
  assert.ok(one.leads());
  assert.ok(failures.length > 0);
});

test('a missing right is told once, and asked for again', async (t) => {
  const { api, time, candidate, log } = world(t);
  api.refuse = () => 403;
  const one = candidate('one');
  await time.pass(60_000);
  assert.deepEqual(log.warnings(), ['the lease of the audit cannot be had']);
  api.refuse = () => undefined;
  await time.pass(5_000);
  assert.ok(one.leads());
});
