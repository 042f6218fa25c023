import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CertificatesApi } from '../../certs/certificates-api.ts';
import type { ServingCertificate } from '../../certs/index.ts';
import { certificatesIn, verifies } from '../../certs/x509.ts';
import { InMemoryApi } from './in-memory-api.ts';
import { isTrusted, mutating, poll, replica, served, settled, twoEntries, validating, written } from './replica.ts';
import { DAY } from './test-world.ts';

describe('a first replica', () => {
  test('creates the Secret, serves what is in it, and is ready before there is a configuration', async (t) => {
    const api = new InMemoryApi();
    const first = replica(t, api);
    assert.equal(first.source.current(), undefined);
    assert.equal(first.source.ready().ready, false);
    await settled(first);
    assert.equal(served(first).certificate, api.secret()['tls.crt']);
    assert.deepEqual(first.source.ready(), { ready: true });
    assert.deepEqual(first.source.caBundle(), { state: 'no-configuration' });
    assert.deepEqual(written(api), ['createSecret']);
  });

  test('tells a listener the certificate once, early or late, and not after the listener left', async (t) => {
    const first = replica(t, new InMemoryApi());
    const early: ServingCertificate[] = [];
    const late: ServingCertificate[] = [];
    const gone: ServingCertificate[] = [];
    first.source.onChange((certificate) => early.push(certificate));
    first.source.onChange((certificate) => gone.push(certificate))();
    await settled(first);
    first.source.onChange((certificate) => late.push(certificate));
    await poll(first);
    assert.deepEqual(early, [served(first)]);
    assert.deepEqual(late, [served(first)]);
    assert.deepEqual(gone, []);
  });

  test('goes on when a listener cannot take the certificate over, and says so', async (t) => {
    const first = replica(t, new InMemoryApi());
    first.source.onChange(() => {
      throw new Error('no');
    });
    await settled(first);
    assert.deepEqual(first.source.ready(), { ready: true });
    assert.equal(first.log.lines.filter(({ level }) => level === 'error').length, 1);
  });

  test('looks again every ten seconds, give or take two', async (t) => {
    const first = replica(t, new InMemoryApi());
    const pauses = [await first.world.asleep()];
    for (let i = 0; i < 20; i++) pauses.push(await first.world.poll());
    assert.ok(pauses.every((pause) => pause >= 8_000 && pause <= 12_000));
    assert.ok(new Set(pauses).size > 1);
  });

  test('stops for good, also in the middle of a look', async (t) => {
    const api = new InMemoryApi();
    const first = replica(t, api);
    await first.source.stop();
    assert.equal(first.source.current(), undefined);
    const writes = api.writes.length;
    await first.source.stop();
    assert.equal(api.writes.length, writes);
  });

  test('keeps keys out of the log', async (t) => {
    const api = new InMemoryApi();
    api.putConfiguration(validating, twoEntries);
    const first = replica(t, api);
    await settled(first);
    assert.doesNotMatch(JSON.stringify(first.log.lines), /PRIVATE KEY/);
  });
});

describe('two replicas', () => {
  test('that start together serve one certificate from one Secret', async (t) => {
    const api = new InMemoryApi();
    const [one, two] = [replica(t, api), replica(t, api)];
    await settled(one, two);
    assert.deepEqual(served(one), served(two));
    assert.deepEqual(api.writes.map(({ outcome }) => outcome).sort(), ['lost', 'written']);
    assert.equal(one.log.lines.concat(two.log.lines).filter(({ level }) => level !== 'info').length, 0);
  });

  test('that renew together end with one certificate of the same authority', async (t) => {
    const api = new InMemoryApi();
    const [one, two] = [replica(t, api), replica(t, api)];
    await settled(one, two);
    const before = served(one);
    for (const { world } of [one, two]) world.advance(60 * DAY);
    await poll(one, two);
    assert.notEqual(served(one).fingerprint, before.fingerprint);
    assert.equal(served(one).authorities, before.authorities);
    assert.deepEqual(served(one), served(two));
    assert.deepEqual(written(api), ['createSecret', 'updateSecret']);
  });

  test('each repair a caBundle that was wiped, and write it once', async (t) => {
    const api = new InMemoryApi();
    api.putConfiguration(validating, twoEntries);
    const [one, two] = [replica(t, api), replica(t, api)];
    await settled(one, two);
    for (const repairing of [one, two]) {
      api.putConfiguration(validating, twoEntries);
      const writes = written(api).length;
      await poll(repairing);
      assert.deepEqual(api.caBundles(), [served(one).authorities, served(one).authorities]);
      await poll(one, two);
      assert.equal(written(api).length, writes + 1);
    }
  });

  test('accept each other throughout when the Secret is deleted', async (t) => {
    const api = new InMemoryApi();
    api.putConfiguration(mutating, twoEntries);
    const [one, two] = [replica(t, api), replica(t, api)];
    await settled(one, two);
    const before = served(two);
    api.putSecret(undefined);
    for (let second = 0; second <= 80; second += 10) {
      await poll(second % 20 === 0 ? one : two);
      const inForce = certificatesIn(api.caBundles()[0] ?? '');
      for (const either of [one, two]) {
        assert.ok(verifies(certificatesIn(served(either).certificate), inForce, either.world.now()));
        assert.deepEqual(either.source.ready(), { ready: true });
        either.world.advance(10_000);
      }
    }
    assert.notEqual(served(one).fingerprint, before.fingerprint);
    assert.deepEqual(served(two), served(one));
  });
});

describe('a Secret', () => {
  test('that somebody spoilt is repaired under the same authority', async (t) => {
    const api = new InMemoryApi();
    const first = replica(t, api);
    await settled(first);
    const authority = served(first).authorities;
    api.putSecret({ ...api.secret(), 'tls.key': 'gone' });
    await poll(first);
    assert.equal(served(first).authorities, authority);
    assert.equal(served(first).key, api.secret()['tls.key']);
    assert.ok(isTrusted(first));
  });

  test('that is empty is filled, as one that a chart created beforehand', async (t) => {
    const api = new InMemoryApi();
    api.putSecret({});
    const first = replica(t, api);
    await settled(first);
    assert.deepEqual(written(api), ['updateSecret']);
    assert.ok(isTrusted(first));
  });

  test('that cannot be read leaves the last good certificate in service, and is complained of once', async (t) => {
    const api = new InMemoryApi();
    const first = replica(t, api);
    await settled(first);
    api.refused.add('getSecret');
    const before = served(first);
    for (let i = 0; i < 3; i++) await poll(first);
    assert.deepEqual(served(first), before);
    assert.deepEqual(first.source.ready(), { ready: true });
    assert.equal(first.log.lines.filter(({ level }) => level === 'warn').length, 1);
    api.refused.clear();
    await poll(first);
    assert.equal(first.log.lines.at(-1)?.message, 'certificates are in order again');
  });

  test('that may not be created keeps the replica from being ready, with the reason', async (t) => {
    const api = new InMemoryApi();
    api.refused.add('createSecret');
    const first = replica(t, api);
    await settled(first);
    const state = first.source.ready();
    assert.deepEqual(state, { ready: false, reason: 'no-certificate', because: 'createSecret is refused: allow it' });
  });

  test('that may not be renewed is served until it expires', async (t) => {
    const api = new InMemoryApi();
    await settled(replica(t, api));
    api.refused.add('updateSecret');
    const late = replica(t, api);
    late.world.advance(89 * DAY);
    await settled(late);
    assert.deepEqual(late.source.ready(), { ready: true });
    late.world.advance(2 * DAY);
    const state = late.source.ready();
    assert.equal(state.ready ? undefined : state.reason, 'expired');
  });
});

describe('a caBundle', () => {
  test('is set in every entry before the certificate is announced', async (t) => {
    const api = new InMemoryApi();
    api.putConfiguration(validating, twoEntries);
    const first = replica(t, api);
    const seen: unknown[] = [];
    first.source.onChange(({ authorities }) => {
      seen.push([api.caBundles(), first.source.caBundle(), first.source.ready()]);
      assert.deepEqual(api.caBundles(), [authorities, authorities]);
    });
    await settled(first);
    assert.deepEqual(seen.length, 1);
    assert.deepEqual(first.source.caBundle(), { state: 'in-sync' });
    assert.deepEqual(first.source.ready(), { ready: true });
  });

  test('goes into a configuration that appears later, and one that is deleted stays away', async (t) => {
    const api = new InMemoryApi();
    const first = replica(t, api);
    await settled(first);
    api.putConfiguration(mutating, twoEntries);
    await poll(first);
    assert.deepEqual(first.source.caBundle(), { state: 'in-sync' });
    api.deleteConfiguration(mutating);
    await poll(first);
    assert.deepEqual(api.caBundles(), []);
    assert.deepEqual(first.source.caBundle(), { state: 'no-configuration' });
  });

  test('that may not be set keeps the replica from being ready, names the entry, and serves all the same', async (t) => {
    const api = new InMemoryApi();
    api.putConfiguration(validating, twoEntries);
    api.refused.add('applyCaBundle');
    const first = replica(t, api);
    await settled(first);
    assert.ok(isTrusted(first));
    const state = first.source.ready();
    assert.ok(!state.ready);
    assert.equal(state.reason, 'ca-bundle-out-of-sync');
    assert.match(state.because, /enforce\.rwo-guard\.dev in ValidatingWebhookConfiguration rwo-guard .* allow it$/);
  });

  test('that was never read keeps the replica from being ready, and one that was read is remembered', async (t) => {
    const api = new InMemoryApi();
    api.putConfiguration(validating, twoEntries);
    api.refused.add('getConfiguration');
    const first = replica(t, api);
    await settled(first);
    assert.equal(first.source.caBundle().state, 'unknown');
    api.refused.clear();
    await poll(first);
    assert.deepEqual(first.source.ready(), { ready: true });
    api.refused.add('getConfiguration');
    await poll(first);
    assert.deepEqual(first.source.ready(), { ready: true });
  });

  test('that trusts more than is needed is accepted while it is being put right', async (t) => {
    const api = new InMemoryApi();
    api.putConfiguration(validating, twoEntries);
    const first = replica(t, api);
    await settled(first);
    api.refused.add('applyCaBundle');
    api.putConfiguration(validating, [
      { name: 'enforce.rwo-guard.dev', caBundle: `# ours\n${served(first).authorities}` },
    ]);
    await poll(first);
    assert.deepEqual(first.source.caBundle(), { state: 'in-sync' });
  });

  test('of an older Secret is not put back by a replica that is behind', async (t) => {
    const api = new InMemoryApi();
    api.putConfiguration(validating, twoEntries);
    let whileItTravels = async () => {};
    const slowly: CertificatesApi['getSecret'] = async () => {
      const answer = await api.getSecret();
      await whileItTravels();
      return answer;
    };
    const [ahead, behind] = [replica(t, api), replica(t, withGetSecret(api, slowly))];
    await settled(ahead, behind);
    whileItTravels = async () => {
      whileItTravels = async () => {};
      api.putSecret({ ...api.secret(), 'ca.key': '' });
      await poll(ahead);
    };
    await poll(behind);
    assert.deepEqual(api.caBundles(), [api.secret()['ca.crt'], api.secret()['ca.crt']]);
    assert.equal(written(api).filter((verb) => verb === 'applyCaBundle').length, 2);
  });
});

function withGetSecret(api: InMemoryApi, getSecret: CertificatesApi['getSecret']): CertificatesApi {
  return {
    getSecret,
    createSecret: (...given) => api.createSecret(...given),
    updateSecret: (...given) => api.updateSecret(...given),
    getConfiguration: (...given) => api.getConfiguration(...given),
    applyCaBundle: (...given) => api.applyCaBundle(...given),
    clockAheadBy: () => api.clockAheadBy(),
  };
}
