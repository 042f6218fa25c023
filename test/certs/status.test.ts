import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { CertificatesError, certificateStatus, requestRotation } from '../../certs/index.ts';
import { GuardedTime, LOOK } from './guarded-time.ts';
import { InMemoryApi } from './in-memory-api.ts';
import { mutating, type Replica, replica, served, settled, twoEntries, validating } from './replica.ts';

const secret = { namespace: 'rwo-guard', name: 'rwo-guard-tls' };

interface Installation {
  readonly api: InMemoryApi;
  readonly one: Replica;
  readonly time: GuardedTime;
  readonly status: () => ReturnType<typeof certificateStatus>;
}

async function installation(t: TestContext): Promise<Installation> {
  const api = new InMemoryApi();
  api.putConfiguration(validating, twoEntries);
  const one = replica(t, api);
  await settled(one);
  const target = {
    from: 'secret',
    api,
    secret,
    configurations: [validating, mutating],
    names: ['rwo-guard.rwo-guard.svc'],
  } as const;
  const status = () => certificateStatus({ ...target, world: one.world });
  return { api, one, time: new GuardedTime(api), status };
}

describe('the status', () => {
  test('is what is served, until when, and that each caBundle agrees', async (t) => {
    const { one, status } = await installation(t);
    const { problems, certificate, authorities, rotation, caBundles } = await status();
    assert.deepEqual(problems, []);
    assert.deepEqual(certificate, {
      names: ['rwo-guard.rwo-guard.svc'],
      notAfter: served(one).notAfter,
      fingerprint: served(one).fingerprint,
    });
    assert.deepEqual(
      authorities.map(({ role }) => role),
      ['signs'],
    );
    assert.equal(rotation, 'none');
    assert.deepEqual(
      caBundles.map(({ entry, agrees }) => [entry, agrees]),
      [
        ['enforce.rwo-guard.dev', true],
        ['advise.rwo-guard.dev', true],
      ],
    );
  });

  test('names the entries whose caBundle does not agree', async (t) => {
    const { api, status } = await installation(t);
    const [caBundle = ''] = api.caBundles();
    api.putConfiguration(validating, [
      { name: 'enforce.rwo-guard.dev', caBundle },
      { name: 'advise.rwo-guard.dev', caBundle: '' },
    ]);
    const { problems } = await status();
    assert.deepEqual(problems, [
      'the caBundle of advise.rwo-guard.dev does not verify the certificate: calls fail until it does',
    ]);
  });

  test('counts the authorities that a caBundle has beyond those that are kept', async (t) => {
    const { api, status } = await installation(t);
    const { api: other } = await installation(t);
    const [own = ''] = api.caBundles();
    const [strange = ''] = other.caBundles();
    api.putConfiguration(validating, [
      { name: 'enforce.rwo-guard.dev', caBundle: own },
      { name: 'advise.rwo-guard.dev', caBundle: own + strange },
    ]);
    const { caBundles } = await status();
    assert.deepEqual(
      caBundles.map((caBundle) => [caBundle.agrees, caBundle.strange]),
      [
        [true, 0],
        [true, 1],
      ],
    );
  });

  test('says where the Service is that is called, and nothing else, to whoever looks in another namespace', async (t) => {
    const { api, status } = await installation(t);
    const entry = { caBundle: '', serviceNamespace: 'rg2' };
    api.putConfiguration(validating, [{ name: 'enforce.rwo-guard.dev', ...entry }]);
    const { problems } = await status();
    assert.deepEqual(problems, ['the webhook configurations call rwo-guard in namespace rg2: use -n rg2']);
  });

  test('of a Secret that is missing tells one that a server makes from certificates that are mounted', async (t) => {
    const { api, status } = await installation(t);
    const saidWith = async (caBundle: string) => {
      api.putSecret(undefined);
      api.putConfiguration(validating, [
        { name: 'enforce.rwo-guard.dev', caBundle, serviceNamespace: secret.namespace },
      ]);
      return (await status()).problems[0] ?? '';
    };
    assert.match(await saidWith(''), /does not exist: a server makes it within seconds, so look at its log$/);
    assert.match(await saidWith('mine'), /; or, if certificates are mounted \(.*\), run this in the pod$/);
  });

  test('of caBundles that there is no certificate to compare with says nothing', async (t) => {
    const { api, status } = await installation(t);
    api.putSecret(undefined);
    const { problems, caBundles } = await status();
    assert.doesNotMatch(problems.join(), /caBundle/);
    assert.deepEqual(
      caBundles.map(({ agrees }) => agrees),
      [undefined, undefined],
    );
  });

  test('of a mounted certificate for other names says which names are wanted', async (t) => {
    const { api, one } = await installation(t);
    const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
    t.after(() => rm(folder, { recursive: true }));
    const { certificateFile, keyFile } = { certificateFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
    await writeFile(certificateFile, served(one).certificate);
    await writeFile(keyFile, served(one).key);
    const callers = { api, configurations: [validating] };
    const names = ['rwo-guard.elsewhere.svc'];
    const { problems } = await certificateStatus({
      from: 'files',
      certificateFile,
      keyFile,
      names,
      callers,
      world: one.world,
    });
    assert.match(
      problems.join(),
      /cannot be served for rwo-guard\.elsewhere\.svc \(wrong-names\): issue it for the names/,
    );
  });

  test('says what a server should have repaired', async (t) => {
    const { api, status } = await installation(t);
    api.putSecret({});
    assert.match((await status()).problems[0] ?? '', /needs repair \(authority-unusable\): .* look at its log/);
  });

  test('rejects where the configurations may not be read', async (t) => {
    const { api, status } = await installation(t);
    api.refused.add('getConfiguration');
    await assert.rejects(status(), { code: 'API_REFUSED' });
  });
});

describe('a rotation that was asked for', () => {
  test('is done once a new CA signs, and the status follows it', async (t) => {
    const { api, one, time, status } = await installation(t);
    const request = await requestRotation(api, secret, { distrustOld: false });
    assert.equal((await status()).rotation, 'asked-for');
    await time.pass(LOOK, [one]);
    assert.equal((await status()).rotation, 'waiting-for-trust');
    assert.deepEqual(
      (await status()).authorities.map(({ role }) => role),
      ['next', 'signs'],
    );
    assert.equal(await request.isDone(), false);
    await time.pass(8 * LOOK, [one]);
    assert.equal(await request.isDone(), true);
    assert.deepEqual(
      (await status()).authorities.map(({ role }) => role),
      ['signs', 'trusted'],
    );
  });

  test('and is to distrust the old CA is done only once that has left', async (t) => {
    const { api, one, time, status } = await installation(t);
    const request = await requestRotation(api, secret, { distrustOld: true });
    await time.pass(9 * LOOK, [one]);
    assert.equal((await status()).rotation, 'waiting-for-replicas');
    assert.equal(await request.isDone(), false);
    await time.pass(12 * LOOK, [one]);
    assert.equal(await request.isDone(), true);
    assert.deepEqual(
      (await status()).authorities.map(({ role }) => role),
      ['signs'],
    );
  });

  test('keeps the wish to distrust the old CA when somebody asks again without it', async (t) => {
    const { api } = await installation(t);
    await requestRotation(api, secret, { distrustOld: true });
    await requestRotation(api, secret, { distrustOld: false });
    assert.equal(api.secret().rotation, 'requested-distrusting-old');
  });

  test('is refused where there is no CA yet', async () => {
    const api = new InMemoryApi();
    const message = async () => {
      const refused: unknown = await requestRotation(api, secret, { distrustOld: false }).catch((error) => error);
      assert.ok(refused instanceof CertificatesError && refused.code === 'NOTHING_TO_ROTATE');
      return refused.message;
    };
    assert.match(await message(), /does not exist: use -n if rwo-guard is in another namespace/);
    api.putSecret({});
    assert.match(await message(), /holds no CA .*look at its log$/);
  });
});
