import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { makeAuthority, type Pair, serviceNames, signServing } from '../../certs/authority.ts';
import { realWorld } from '../../certs/world.ts';
import { certificatesIn, verifies } from '../../certs/x509.ts';
import { DAY, testWorld } from './test-world.ts';

const run = promisify(execFile);
const now = new Date();
const names = [...serviceNames('rwo-guard', 'rwo-guard'), '127.0.0.1', '::1'];

async function grant(life: number, world = realWorld) {
  return { key: await world.generateKey(), serial: world.randomBytes(16), now, life };
}

describe('a serving certificate', () => {
  let authority: Pair;
  let successor: Pair;
  let serving: Pair;
  before(async () => {
    authority = makeAuthority(await grant(365 * DAY));
    successor = makeAuthority(await grant(365 * DAY));
    serving = signServing(authority, names, await grant(90 * DAY));
  });

  test('is accepted by the strict checks of openssl, also beside the authority that comes next', async () => {
    const { stdout: version } = await run('openssl', ['version']);
    assert.match(version, /^OpenSSL 3/);
    const options = ['-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'rwo-guard.rwo-guard.svc'];
    await withFiles([successor.certificate + authority.certificate, serving.certificate], ([ca = '', leaf = '']) =>
      run('openssl', ['verify', ...options, '-CAfile', ca, leaf]),
    );
  });

  test('is accepted by Go under every name and address, also beside the authority that comes next', async () => {
    await goVerify(successor.certificate + authority.certificate, serving, names);
  });

  test('is refused by Go under another name', async () => {
    await assert.rejects(goVerify(authority.certificate, serving, ['kubernetes.default.svc']), /not kubernetes/);
  });

  test('is refused by Go for an authority that did not sign it', async () => {
    await assert.rejects(goVerify(successor.certificate, serving, names), /unknown authority/);
  });

  test('is judged by us as by Go', () => {
    const chain = certificatesIn(serving.certificate);
    assert.equal(verifies(chain, certificatesIn(successor.certificate + authority.certificate), now), true);
    assert.equal(verifies(chain, certificatesIn(successor.certificate), now), false);
    assert.equal(verifies(chain, certificatesIn(authority.certificate), new Date(now.getTime() + 91 * DAY)), false);
    assert.equal(verifies(chain, chain, now), true, 'trusted itself, it needs no issuer');
    assert.equal(verifies([], certificatesIn(authority.certificate), now), false);
  });
});

test('serial numbers are positive, short enough, and never zero', async () => {
  const { key } = await grant(DAY, testWorld());
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (serial) => {
      const { certificate } = makeAuthority({ key, serial, now, life: DAY });
      assert.match(new X509Certificate(certificate).serialNumber, /^[0-7][0-9A-F]{31}$/);
    }),
    { numRuns: 30 },
  );
});

test('no certificate outlives its authority, begins before it, or begins after its own making', async () => {
  const world = testWorld();
  const [ours, theirs] = [await grant(0, world), await grant(0, world)];
  const life = fc.integer({ min: 1000, max: 4000 * DAY });
  fc.assert(
    fc.property(life, life, fc.double({ min: 0, max: 0.99, noNaN: true }), (long, short, share) => {
      const authority = makeAuthority({ ...ours, life: long });
      const later = new Date(now.getTime() + Math.floor(long * share));
      const leaf = new X509Certificate(
        signServing(authority, names, { ...theirs, now: later, life: short }).certificate,
      );
      const ca = new X509Certificate(authority.certificate);
      assert.ok(leaf.validToDate <= ca.validToDate);
      assert.ok(leaf.validFromDate >= ca.validFromDate);
      assert.ok(leaf.validFromDate <= later);
    }),
    { numRuns: 30 },
  );
});

test('a certificate is backdated by a tenth of its life, and by an hour at most', async () => {
  const short = new X509Certificate(makeAuthority(await grant(1_000_000, testWorld())).certificate);
  const long = new X509Certificate(makeAuthority(await grant(90 * DAY, testWorld())).certificate);
  const backdating = ({ validFromDate }: X509Certificate) =>
    Math.floor((now.getTime() - validFromDate.getTime()) / 1000);
  assert.equal(backdating(short), 100);
  assert.equal(backdating(long), 3600);
});

async function goVerify(trusted: string, { certificate, key }: Pair, called: readonly string[]): Promise<void> {
  await withFiles([trusted, certificate + key], async (files) => {
    const folder = join(import.meta.dirname, 'go-verify');
    const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '', GOWORK: 'off', CGO_ENABLED: '0' };
    await run('go', ['run', '.', ...files, ...called], { cwd: folder, env });
  });
}

/** Writes each text to a file of its own for as long as `use` takes. */
async function withFiles(texts: readonly string[], use: (files: readonly string[]) => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-certs-'));
  try {
    const files = texts.map((_, i) => join(folder, `${i}.pem`));
    await Promise.all(files.map((file, i) => writeFile(file, texts[i] ?? '')));
    await use(files);
  } finally {
    await rm(folder, { recursive: true });
  }
}
