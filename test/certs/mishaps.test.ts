import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { NOTHING_REUSABLE, toSecretData } from '../../certs/bundle.ts';
import type { CertificatesApi, SecretData } from '../../certs/certificates-api.ts';
import { DEFAULT_LIFETIMES, issueBundle } from '../../certs/issuance.ts';
import { GuardedTime, LOOK } from './guarded-time.ts';
import { InMemoryApi } from './in-memory-api.ts';
import { mutating, poll, type Replica, replica, served, settled, twoEntries, validating, written } from './replica.ts';
import { DAY, testWorld } from './test-world.ts';

const MINUTE = 60_000;
const names = ['rwo-guard.rwo-guard.svc'];

interface Installation {
  readonly api: InMemoryApi;
  readonly replicas: readonly [Replica, Replica];
  readonly time: GuardedTime;
}

async function installation(t: TestContext): Promise<Installation> {
  const api = new InMemoryApi();
  api.putConfiguration(validating, twoEntries);
  api.putConfiguration(mutating, twoEntries);
  const replicas: readonly [Replica, Replica] = [replica(t, api), replica(t, api)];
  await settled(...replicas);
  const time = new GuardedTime(api);
  await time.pass(2 * MINUTE, replicas);
  return { api, replicas, time };
}

/** What another installation keeps. */
async function foreign(): Promise<SecretData> {
  return toSecretData(await issueBundle(NOTHING_REUSABLE, names, DEFAULT_LIFETIMES, testWorld()));
}

describe('no call fails while and after the Secret', () => {
  const mishaps: readonly { name: string; change: (data: SecretData) => Promise<SecretData | undefined> }[] = [
    { name: 'is deleted', change: async () => undefined },
    { name: 'is emptied', change: async () => ({}) },
    { name: 'loses the key of its CA', change: async ({ 'ca.key': _, ...data }) => data },
    { name: 'loses its certificate', change: async ({ 'tls.crt': _, ...data }) => data },
    {
      name: 'gets the key of another certificate',
      change: async (data) => ({ ...data, 'tls.key': (await foreign())['tls.key'] ?? '' }),
    },
    {
      name: 'gets a certificate of another CA',
      change: async (data) => ({ ...(await foreign()), 'ca.crt': data['ca.crt'] ?? '' }),
    },
    { name: 'gets a moment of issue that is none', change: async (data) => ({ ...data, 'issued-at': 'yesterday' }) },
    { name: 'is replaced by that of another installation', change: foreign },
  ];
  for (const { name, change } of mishaps) {
    test(name, async (t) => {
      const { api, replicas, time } = await installation(t);
      api.putSecret(await change(api.secret()));
      await time.pass(3 * MINUTE, replicas);
      for (const one of replicas) assert.equal(served(one).certificate, api.secret()['tls.crt']);
      assert.deepEqual(
        replicas.flatMap(({ log }) => log.lines).filter(({ level }) => level !== 'info'),
        [],
      );
    });
  }

  test('is restored from a backup made before the last renewal', async (t) => {
    const { api, replicas, time } = await installation(t);
    const backup = api.secret();
    await time.pass(61 * DAY, replicas, DAY);
    api.putSecret(backup);
    await time.pass(3 * MINUTE, replicas);
    assert.notEqual(api.secret()['tls.crt'], backup['tls.crt'], 'that one was due');
  });

  test('is restored from a backup made before a new CA, whose certificate stays trusted', async (t) => {
    const { api, replicas, time } = await installation(t);
    const backup = api.secret();
    api.putSecret({ ...backup, rotation: 'requested' });
    await time.pass(3 * MINUTE, replicas);
    const rotated = api.secret();
    api.putSecret(backup);
    await time.pass(3 * MINUTE, replicas);
    assert.equal(api.secret()['ca.key'], backup['ca.key']);
    assert.ok(api.caBundles().every((caBundle) => caBundle.includes(rotated['ca.crt']?.split('-----END')[0] ?? '?')));
    for (const one of replicas) assert.equal(served(one).certificate, backup['tls.crt']);
  });

  test('is deleted, and a replica that never saw it makes the next one', async (t) => {
    const { api, replicas, time } = await installation(t);
    const [stays] = replicas;
    api.putSecret(undefined);
    const fresh = replica(t, api, { world: testWorld(stays.world.now().toISOString()) });
    await settled(fresh);
    await time.pass(3 * MINUTE, [fresh, stays]);
    assert.equal(served(fresh).certificate, served(stays).certificate);
  });
});

test('what a first replica finds trusted stays so, since whoever set it may serve still', async (t) => {
  const api = new InMemoryApi();
  const { 'ca.crt': theirs = '' } = await foreign();
  api.putConfiguration(
    validating,
    twoEntries.map((entry) => ({ ...entry, caBundle: theirs })),
  );
  const first = replica(t, api);
  await settled(first);
  assert.deepEqual(first.source.ready(), { ready: true });
  for (const caBundle of api.caBundles()) assert.ok(caBundle.endsWith(theirs) && caBundle.length > theirs.length);
});

test('a caBundle that another manager overwrites again and again is whole after every look', async (t) => {
  const { api, replicas } = await installation(t);
  const { 'ca.crt': theirs = '' } = await foreign();
  for (let i = 0; i < 3; i++) {
    api.putConfiguration(
      validating,
      twoEntries.map((entry) => ({ ...entry, caBundle: theirs })),
    );
    await poll(...replicas);
    assert.ok(api.caBundles().every((caBundle) => caBundle === api.secret()['ca.crt']));
    for (const { source } of replicas) assert.deepEqual(source.ready(), { ready: true });
  }
});

describe('a replica whose clock is wrong', () => {
  for (const [name, aheadBy] of [
    ['two hours behind', 2 / 24],
    ['fifty years behind', 50 * 365],
    ['twenty years ahead', -20 * 365],
  ] as const) {
    test(`${name} serves and renews as the others do, by the API server's clock, and says so once`, async (t) => {
      const { api, replicas, time } = await installation(t);
      const before = api.secret();
      const wrong = testWorld(new Date(replicas[0].world.now().getTime() - aheadBy * DAY).toISOString());
      const theirs = withClock(api, aheadBy * DAY);
      const astray = replica(t, theirs, { world: wrong });
      await settled(astray);
      for (let look = 0; look < 3; look++) await poll(astray, ...replicas);
      assert.deepEqual(api.secret(), before, 'nothing was replaced');
      assert.equal(served(astray).certificate, before['tls.crt']);
      assert.deepEqual(astray.source.ready(), { ready: true });
      assert.deepEqual(warnings(astray), ['CLOCK_WRONG']);

      wrong.advance(61 * DAY);
      await poll(astray);
      assert.notEqual(api.secret()['tls.crt'], before['tls.crt']);
      for (const { world } of replicas) world.advance(61 * DAY);
      await time.pass(LOOK, replicas);
      assert.equal(served(replicas[0]).certificate, served(astray).certificate);
    });
  }
});

describe('a permission that is missing', () => {
  const cases = [
    { verb: 'getSecret', reason: 'no-certificate', says: /^getSecret is refused: allow it$/ },
    { verb: 'createSecret', reason: 'no-certificate', says: /^createSecret is refused: allow it$/ },
    { verb: 'getConfiguration', reason: 'ca-bundle-unknown', says: /^getConfiguration is refused: allow it$/ },
    { verb: 'applyCaBundle', reason: 'ca-bundle-out-of-sync', says: /does not verify .*: applyCaBundle is refused/ },
  ] as const;
  for (const { verb, reason, says } of cases) {
    test(`to ${verb} keeps a first replica from being ready, in one line of the log, until it is given`, async (t) => {
      const api = new InMemoryApi();
      api.putConfiguration(validating, twoEntries);
      api.refused.add(verb);
      const first = replica(t, api);
      await settled(first);
      for (let look = 0; look < 3; look++) await poll(first);
      const state = first.source.ready();
      assert.ok(!state.ready);
      assert.equal(state.reason, reason);
      assert.match(state.because, says);
      assert.deepEqual(warnings(first), ['API_REFUSED']);
      api.refused.clear();
      await poll(first);
      assert.deepEqual(first.source.ready(), { ready: true });
    });
  }

  test('to updateSecret leaves in service what is there, and is complained of from the moment it is needed', async (t) => {
    const { api, replicas, time } = await installation(t);
    const [one] = replicas;
    api.refused.add('updateSecret');
    await time.pass(59 * DAY, replicas, DAY);
    assert.deepEqual(warnings(one), []);
    await time.pass(5 * DAY, replicas, DAY);
    assert.deepEqual(warnings(one), ['API_REFUSED']);
    api.refused.clear();
    await time.pass(5 * DAY, replicas, DAY);
    assert.deepEqual(warnings(one), ['API_REFUSED']);
  });
});

describe('an API server that is away', () => {
  test('leaves ready what was ready, in one line of the log', async (t) => {
    const { api, replicas } = await installation(t);
    away(api);
    for (let look = 0; look < 5; look++) await poll(...replicas);
    for (const one of replicas) {
      assert.deepEqual(one.source.ready(), { ready: true });
      assert.deepEqual(warnings(one), ['API_REFUSED']);
    }
  });

  test('keeps a replica that starts from being ready, and it is as soon as that is back', async (t) => {
    const api = new InMemoryApi();
    away(api);
    const first = replica(t, api);
    await settled(first);
    assert.deepEqual(first.source.ready(), {
      ready: false,
      reason: 'no-certificate',
      because: 'getSecret is refused: allow it',
    });
    api.refused.clear();
    await poll(first);
    assert.deepEqual(first.source.ready(), { ready: true });
  });
});

test('five replicas that start at once, and five that renew at once, write one Secret each time', async (t) => {
  const api = new InMemoryApi();
  api.putConfiguration(validating, twoEntries);
  const replicas = Array.from({ length: 5 }, () => replica(t, api));
  await settled(...replicas);
  for (const { world } of replicas) world.advance(60 * DAY);
  await poll(...replicas);
  assert.equal(new Set(replicas.map((one) => served(one).fingerprint)).size, 1);
  const writes = written(api).filter((verb) => verb !== 'applyCaBundle');
  assert.deepEqual(writes, ['createSecret', 'updateSecret']);
  assert.equal(written(api).length, 3);
});

/** The same API server, whose clock is ahead of the replica's by so much. */
function withClock(api: InMemoryApi, aheadBy: number): CertificatesApi {
  return {
    getSecret: () => api.getSecret(),
    createSecret: (...given) => api.createSecret(...given),
    updateSecret: (...given) => api.updateSecret(...given),
    getConfiguration: (...given) => api.getConfiguration(...given),
    applyCaBundle: (...given) => api.applyCaBundle(...given),
    clockAheadBy: () => aheadBy,
  };
}

function away(api: InMemoryApi): void {
  for (const verb of ['getSecret', 'createSecret', 'updateSecret', 'getConfiguration', 'applyCaBundle'] as const) {
    api.refused.add(verb);
  }
}

function warnings({ log }: Replica): readonly unknown[] {
  return log.lines.filter(({ level }) => level !== 'info').map(({ fields }) => Reflect.get(fields, 'code'));
}
