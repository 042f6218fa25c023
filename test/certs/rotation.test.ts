import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { certificatesIn } from '../../certs/x509.ts';
import { GuardedTime, LOOK } from './guarded-time.ts';
import { InMemoryApi } from './in-memory-api.ts';
import { mutating, type Replica, replica, served, settled, twoEntries, validating, written } from './replica.ts';
import { DAY, testWorld } from './test-world.ts';

const MINUTE = 60_000;
const YEAR = 365 * DAY;

interface Installation {
  readonly api: InMemoryApi;
  readonly replicas: readonly Replica[];
  readonly time: GuardedTime;
}

/** Two replicas that have been there for a while. */
async function installation(t: TestContext): Promise<Installation> {
  const api = new InMemoryApi();
  api.putConfiguration(validating, twoEntries);
  api.putConfiguration(mutating, twoEntries);
  const replicas = [replica(t, api), replica(t, api)];
  await settled(...replicas);
  const time = new GuardedTime(api);
  await time.pass(2 * MINUTE, replicas);
  return { api, replicas, time };
}

function ask(api: InMemoryApi, rotation: string): void {
  api.putSecret({ ...api.secret(), rotation });
}

function authorities(api: InMemoryApi): number {
  return certificatesIn(api.caBundles()[0] ?? '').length;
}

describe('a new CA', () => {
  test('is trusted for a minute before it signs; then the old key is gone and the old certificate stays', async (t) => {
    const { api, replicas, time } = await installation(t);
    const before = api.secret();
    ask(api, 'requested');
    await time.pass(LOOK, replicas);
    assert.equal(authorities(api), 2);
    assert.equal(api.secret()['ca.key'], before['ca.key'], 'the old one signs');
    assert.equal(api.secret().rotation, undefined);

    await time.pass(MINUTE - LOOK, replicas);
    assert.equal(api.secret()['tls.crt'], before['tls.crt'], 'not yet a minute');
    await time.pass(3 * LOOK, replicas);
    assert.notEqual(api.secret()['tls.crt'], before['tls.crt']);
    for (const one of replicas) assert.equal(served(one).certificate, api.secret()['tls.crt']);
    assert.equal(authorities(api), 2);
    assert.ok(!JSON.stringify(api.secret()).includes(JSON.stringify(before['ca.key'])), 'the old key is kept nowhere');
  });

  test('replaces one that is in the last third of its life, without being asked for', async (t) => {
    const api = new InMemoryApi();
    api.putConfiguration(validating, twoEntries);
    const lifetimes = { authority: 9 * DAY, serving: 3 * DAY };
    const replicas = [replica(t, api, { lifetimes }), replica(t, api, { lifetimes })];
    await settled(...replicas);
    const time = new GuardedTime(api);
    await time.pass(6 * DAY, replicas, DAY / 8);
    const before = api.secret()['ca.key'];
    await time.pass(5 * MINUTE, replicas);
    assert.notEqual(api.secret()['ca.key'], before);
    await time.pass(5 * DAY, replicas, DAY / 8);
    assert.equal(authorities(api), 1, 'the old one has expired');
  });

  test('waits anew when somebody takes it out of a caBundle meanwhile', async (t) => {
    const { api, replicas, time } = await installation(t);
    const old = api.secret()['ca.crt'] ?? '';
    ask(api, 'requested');
    await time.pass(5 * LOOK, replicas);
    api.putConfiguration(mutating, [{ name: 'mutate.rwo-guard.dev', caBundle: old }]);
    api.refused.add('applyCaBundle');
    for (const { world } of replicas) await world.poll();
    api.refused.clear();
    await time.pass(5 * LOOK, replicas);
    assert.ok(api.secret()['next-ca.key'], 'it does not sign yet');
    await time.pass(3 * LOOK, replicas);
    assert.equal(api.secret()['next-ca.key'], undefined);
  });

  test('does not sign while it cannot be seen whether callers trust it', async (t) => {
    const { api, replicas, time } = await installation(t);
    ask(api, 'requested');
    await time.pass(LOOK, replicas);
    api.refused.add('getConfiguration');
    await time.pass(5 * MINUTE, replicas);
    assert.ok(api.secret()['next-ca.key']);
    api.refused.clear();
    await time.pass(2 * LOOK, replicas);
    assert.equal(api.secret()['next-ca.key'], undefined);
  });

  test('goes on where a replica that began it was replaced', async (t) => {
    const { api, replicas, time } = await installation(t);
    ask(api, 'requested');
    await time.pass(3 * LOOK, replicas);
    const [gone, stays] = replicas;
    assert.ok(gone && stays);
    await gone.source.stop();
    const fresh = replica(t, api, { world: testWorld(stays.world.now().toISOString()) });
    await settled(fresh);
    await time.pass(2 * MINUTE, [fresh, stays]);
    assert.equal(api.secret()['next-ca.key'], undefined);
    assert.equal(served(fresh).certificate, served(stays).certificate);
  });

  test('signs at once where there is nobody who would have to trust it first', async (t) => {
    const api = new InMemoryApi();
    const alone = replica(t, api);
    await settled(alone);
    ask(api, 'requested');
    const before = api.secret()['ca.key'];
    for (let look = 0; look < 2; look++) await alone.world.poll();
    assert.notEqual(api.secret()['ca.key'], before);
    assert.deepEqual(written(api), ['createSecret', 'updateSecret', 'updateSecret']);
  });
});

describe('a CA that is to be distrusted', () => {
  test('leaves the caBundle after every replica serves by a new one, and no call fails meanwhile', async (t) => {
    const { api, replicas, time } = await installation(t);
    const [old] = certificatesIn(api.secret()['ca.crt'] ?? '');
    ask(api, 'requested-distrusting-old');
    await time.pass(3 * MINUTE + 3 * LOOK, replicas);
    assert.equal(authorities(api), 1);
    assert.equal(api.caBundles()[0], api.secret()['ca.crt']);
    assert.ok(!api.caBundles().includes(old?.toString() ?? ''));
    assert.equal(api.secret().rotation, undefined);
  });

  test('does not come back with a Secret that is restored from before, and does not sign again', async (t) => {
    const { api, replicas, time } = await installation(t);
    const backup = api.secret();
    ask(api, 'requested-distrusting-old');
    await time.pass(4 * MINUTE, replicas);
    api.putSecret(backup);
    await time.pass(3 * MINUTE, replicas);
    for (const caBundle of api.caBundles()) assert.ok(!caBundle.includes(backup['ca.crt'] ?? '?'));
    assert.notEqual(api.secret()['ca.key'], backup['ca.key']);
    for (const one of replicas) assert.equal(served(one).certificate, api.secret()['tls.crt']);
  });

  test('leaves also when a rotation was under way already', async (t) => {
    const { api, replicas, time } = await installation(t);
    const old = api.secret()['ca.crt'] ?? '?';
    ask(api, 'requested');
    await time.pass(3 * LOOK, replicas);
    const half = api.secret()['ca.crt'] ?? '?';
    ask(api, 'requested-distrusting-old');
    await time.pass(4 * MINUTE, replicas);
    assert.equal(authorities(api), 1);
    assert.ok(!half.includes(api.secret()['ca.crt'] ?? '?') && !old.includes(api.secret()['ca.crt'] ?? '?'));
  });
});

test('ten years pass, with renewals, a new CA and new replicas, and every call of them succeeds', async (t) => {
  const api = new InMemoryApi();
  api.putConfiguration(validating, twoEntries);
  const world = testWorld();
  let replicas = [replica(t, api, { world }), replica(t, api)];
  await settled(...replicas);
  const time = new GuardedTime(api);
  const begun = world.now().getTime();
  const [keys, certificates] = [new Set<unknown>(), new Set<unknown>()];
  for (let i = 0; world.now().getTime() - begun < 10 * YEAR; i++) {
    const isQuiet = api.secret()['next-ca.key'] === undefined;
    await time.pass(isQuiet ? 5 * DAY : LOOK, replicas, isQuiet ? 5 * DAY : LOOK);
    keys.add(api.secret()['ca.key']);
    certificates.add(api.secret()['tls.crt']);
    if (i % 20 !== 19) continue;
    const [first, second] = replicas;
    await second?.source.stop();
    replicas = [...(first ? [first] : []), replica(t, api, { world: testWorld(world.now().toISOString()) })];
    await settled(...replicas);
  }
  assert.equal(keys.size, 2);
  assert.equal(certificates.size, 62, 'every sixty days, and once for the new CA');
});
