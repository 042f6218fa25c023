import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Pair } from '../../certs/authority.ts';
import { type CertificateBundle, NOTHING_REUSABLE } from '../../certs/bundle.ts';
import { type CertificateSource, type FileOptions, startCertificates } from '../../certs/index.ts';
import { DEFAULT_LIFETIMES, issueBundle } from '../../certs/issuance.ts';
import { InMemoryApi } from './in-memory-api.ts';
import { DAY, type TestWorld, testLog, testWorld } from './test-world.ts';

const names = ['rwo-guard.rwo-guard.svc'];
const validating = { kind: 'ValidatingWebhookConfiguration', name: 'rwo-guard' } as const;

interface Mounted {
  readonly source: CertificateSource;
  readonly world: TestWorld;
  readonly log: ReturnType<typeof testLog>;
  /** Replaces the files as the kubelet does. */
  mount(pair: Pair, authorities?: string): Promise<void>;
}

/** A folder as the kubelet lays it out, and a source that reads it. */
async function mounted(t: TestContext, pair: Pair, options: Partial<FileOptions> = {}): Promise<Mounted> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-mounted-'));
  let version = 0;
  const mount = async ({ certificate, key }: Pair, authorities = '') => {
    version += 1;
    await mkdir(join(folder, `..${version}`));
    await writeFile(join(folder, `..${version}`, 'tls.crt'), certificate);
    await writeFile(join(folder, `..${version}`, 'tls.key'), key);
    await writeFile(join(folder, `..${version}`, 'ca.crt'), authorities);
    await symlink(`..${version}`, join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  await mount(pair);
  for (const file of ['tls.crt', 'tls.key', 'ca.crt']) await symlink(join('..data', file), join(folder, file));

  const world = testWorld();
  const log = testLog();
  const source = startCertificates({
    from: 'files',
    certificateFile: join(folder, 'tls.crt'),
    keyFile: join(folder, 'tls.key'),
    authoritiesFile: join(folder, 'ca.crt'),
    names,
    log,
    world,
    ...options,
  });
  t.after(async () => {
    await source.stop();
    await rm(folder, { recursive: true });
  });
  await world.asleep();
  return { source, world, log, mount };
}

function issue(for_: readonly string[] = names): Promise<CertificateBundle> {
  return issueBundle(NOTHING_REUSABLE, for_, DEFAULT_LIFETIMES, testWorld());
}

function warnings({ log }: Mounted): readonly unknown[] {
  return log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => Reflect.get(fields, 'code'));
}

describe('a mounted pair', () => {
  test('is served, and replaced when the kubelet swaps the link above it', async (t) => {
    const [first, second] = [await issue(), await issue()];
    const pod = await mounted(t, first.serving);
    const seen: string[] = [];
    pod.source.onChange(({ certificate }) => seen.push(certificate));
    await pod.mount(second.serving, second.trusted);
    await pod.world.poll();
    assert.deepEqual(seen, [first.serving.certificate, second.serving.certificate]);
    assert.equal(pod.source.current()?.authorities, second.trusted);
    assert.deepEqual(pod.source.ready(), { ready: true });
    assert.deepEqual(warnings(pod), []);
  });

  const bad: readonly { name: string; pair: (good: Pair, other: Pair) => Pair | Promise<Pair>; says: RegExp }[] = [
    { name: 'whose key is another one', pair: (good, other) => ({ ...good, key: other.key }), says: /key-mismatch/ },
    {
      name: 'that is empty',
      pair: () => ({ certificate: '', key: '' }),
      says: /certificate-unreadable.*has to be PEM/,
    },
    { name: 'without a key', pair: (good) => ({ ...good, key: '' }), says: /key-unreadable/ },
    { name: 'for other names', pair: async () => (await issue(['other.svc'])).serving, says: /wrong-names/ },
  ];
  for (const { name, pair, says } of bad) {
    test(`${name} never replaces a good one, and is complained of once`, async (t) => {
      const [good, other] = [await issue(), await issue()];
      const pod = await mounted(t, good.serving);
      await pod.mount(await pair(good.serving, other.serving));
      await pod.world.poll();
      await pod.world.poll();
      assert.equal(pod.source.current()?.certificate, good.serving.certificate);
      assert.deepEqual(pod.source.ready(), { ready: true });
      assert.deepEqual(warnings(pod), ['PAIR_UNUSABLE']);

      const fresh = await mounted(t, await pair(good.serving, other.serving));
      const state = fresh.source.ready();
      assert.ok(!state.ready);
      assert.equal(state.reason, 'no-certificate');
      assert.match(state.because, says);
    });
  }

  test('that is not there is waited for', async (t) => {
    const pod = await mounted(t, (await issue()).serving, { keyFile: '/nonexistent/tls.key' });
    const state = pod.source.ready();
    assert.ok(!state.ready);
    assert.match(state.because, /cannot read \/nonexistent\/tls\.key: check that it is mounted/);
  });

  test('is served without a ca.crt beside it, which issuers that everybody knows leave out', async (t) => {
    const pod = await mounted(t, (await issue()).serving, { authoritiesFile: '/nonexistent/ca.crt' });
    assert.equal(pod.source.current()?.authorities, '');
    assert.deepEqual(warnings(pod), []);
  });

  test('in its last third is served with a warning, and then is not ready once it has expired', async (t) => {
    const pod = await mounted(t, (await issue()).serving);
    pod.world.advance(61 * DAY);
    await pod.world.poll();
    assert.deepEqual(warnings(pod), ['RENEWAL_OVERDUE']);
    assert.deepEqual(pod.source.ready(), { ready: true });
    pod.world.advance(30 * DAY);
    await pod.world.poll();
    const state = pod.source.ready();
    assert.equal(state.ready ? undefined : state.reason, 'expired');
  });

  test('is ready once somebody has set a caBundle that verifies it, which nobody does here', async (t) => {
    const api = new InMemoryApi();
    const { serving, trusted } = await issue();
    api.putConfiguration(validating, [{ name: 'enforce.rwo-guard.dev', caBundle: '' }]);
    const pod = await mounted(t, serving, { callers: { api, configurations: [validating] } });
    assert.equal(pod.source.caBundle().state, 'out-of-sync');
    assert.equal(pod.source.ready().ready, false);
    await pod.world.poll();
    assert.deepEqual(warnings(pod), ['NOT_READY'], 'one line says why');
    api.putConfiguration(validating, [{ name: 'enforce.rwo-guard.dev', caBundle: trusted }]);
    await pod.world.poll();
    assert.deepEqual(pod.source.caBundle(), { state: 'in-sync' });
    assert.deepEqual(pod.source.ready(), { ready: true });
    assert.deepEqual(api.writes, []);
  });
});
