import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type BundleReading,
  type CertificateBundle,
  NOTHING_REUSABLE,
  parseBundle,
  toSecretData,
} from '../../certs/bundle.ts';
import type { SecretData } from '../../certs/certificates-api.ts';
import { issueBundle, publishNext, succeed } from '../../certs/issuance.ts';
import { renewalReason } from '../../certs/renewal.ts';
import { certificatesIn } from '../../certs/x509.ts';
import { DAY, testWorld } from './test-world.ts';

const names = ['rwo-guard.rwo-guard.svc', '10.0.0.1'];
const lifetimes = { authority: 1000 * DAY, serving: 90 * DAY };
const world = testWorld();
const issuedAt = world.now();
let bundle: CertificateBundle;
let other: CertificateBundle;

before(async () => {
  bundle = await issueBundle(NOTHING_REUSABLE, names, lifetimes, world);
  other = await issueBundle(NOTHING_REUSABLE, names, lifetimes, world);
});

describe('a bundle read back from its Secret', () => {
  test('is the one that was written', () => {
    assert.deepEqual(parseBundle(toSecretData(bundle)), { usable: true, bundle });
  });

  test('has the keys that readers of TLS Secrets know', () => {
    assert.deepEqual(Object.keys(toSecretData(bundle)).sort(), ['ca.crt', 'ca.key', 'issued-at', 'tls.crt', 'tls.key']);
  });

  test('signs with the authority that the key belongs to, wherever that stands among the trusted', () => {
    const data = { ...toSecretData(bundle), 'ca.crt': other.trusted + bundle.trusted };
    const reading = parseBundle(data);
    assert.ok(reading.usable);
    assert.equal(reading.bundle.authority.certificate, bundle.authority.certificate);
  });

  const spoilt: readonly { name: string; change: () => SecretData; because: string; keepsAuthority: boolean }[] = [
    {
      name: 'without anything in it',
      change: () => ({ 'ca.crt': '', 'ca.key': '' }),
      because: 'authority-unusable',
      keepsAuthority: false,
    },
    {
      name: 'without the key of its authority',
      change: () => ({ 'ca.key': '' }),
      because: 'authority-unusable',
      keepsAuthority: false,
    },
    {
      name: 'with the key of another authority',
      change: () => ({ 'ca.key': other.authority.key }),
      because: 'authority-unusable',
      keepsAuthority: false,
    },
    {
      name: 'with a certificate cut short',
      change: () => ({ 'tls.crt': bundle.serving.certificate.slice(0, 200) }),
      because: 'certificate-unreadable',
      keepsAuthority: true,
    },
    {
      name: 'with the certificate of another authority',
      change: () => ({ 'tls.crt': other.serving.certificate }),
      because: 'not-signed-by-authority',
      keepsAuthority: true,
    },
    {
      name: 'without the moment of issue',
      change: () => ({ 'issued-at': '' }),
      because: 'issued-at-unusable',
      keepsAuthority: true,
    },
    {
      name: 'with a moment of issue after its end',
      change: () => ({ 'issued-at': '2036-01-01T00:00:00Z' }),
      because: 'issued-at-unusable',
      keepsAuthority: true,
    },
  ];
  for (const { name, change, because, keepsAuthority } of spoilt) {
    test(`${name} says ${because}${keepsAuthority ? ' and keeps its authority' : ''}`, () => {
      const reading = parseBundle({ ...toSecretData(bundle), ...change() });
      assert.ok(!reading.usable);
      assert.equal(reading.because, because);
      assert.equal(reading.reusable.authority !== undefined, keepsAuthority);
      assert.equal(renewalReason(reading, names, issuedAt), because);
    });
  }
});

describe('certificates are issued again', () => {
  const reading = (): BundleReading => ({ usable: true, bundle });
  const after = (days: number) => new Date(issuedAt.getTime() + days * DAY);

  test('when there are none', () => {
    assert.equal(renewalReason(undefined, names, issuedAt), 'missing');
  });

  test('at two thirds of the life since they were issued, and not before', () => {
    const life = fc.integer({ min: 0, max: 90 * DAY });
    fc.assert(
      fc.property(life, (age) => {
        const reason = renewalReason(reading(), names, new Date(issuedAt.getTime() + age));
        assert.equal(reason, age < 60 * DAY ? undefined : age < 90 * DAY ? 'due' : 'expired');
      }),
      { numRuns: 50, examples: [[60 * DAY - 1], [60 * DAY], [90 * DAY - 1000], [90 * DAY]] },
    );
  });

  test('when they lack a name that is called, and not when they have one more', () => {
    assert.equal(renewalReason(reading(), [...names, 'other.svc'], issuedAt), 'wrong-names');
    assert.equal(renewalReason(reading(), [...names, '10.0.0.2'], issuedAt), 'wrong-names');
    assert.equal(renewalReason(reading(), names.slice(0, 1), issuedAt), undefined);
  });

  test('when the key is another one', () => {
    const wrongKey = { ...bundle, serving: { ...bundle.serving, key: other.serving.key } };
    assert.equal(renewalReason({ usable: true, bundle: wrongKey }, names, issuedAt), 'key-mismatch');
  });

  test('when a clock ran ahead as they were made', () => {
    const ahead = { ...bundle, authority: other.authority };
    assert.equal(renewalReason({ usable: true, bundle: ahead }, names, after(-1)), 'authority-not-yet-valid');
  });

  test('when their authority has expired, or must not be trusted any more', () => {
    assert.equal(renewalReason(reading(), names, after(1000)), 'authority-expired');
    const distrusting = { ...bundle, distrusted: bundle.authority.certificate };
    assert.equal(renewalReason({ usable: true, bundle: distrusting }, names, issuedAt), 'authority-distrusted');
  });
});

test('what was just issued never has to be issued again', async () => {
  const days = fc.integer({ min: 1, max: 4000 });
  await fc.assert(
    fc.asyncProperty(days, days, async (authority, serving) => {
      const fresh = await issueBundle(
        NOTHING_REUSABLE,
        names,
        { authority: authority * DAY, serving: serving * DAY },
        world,
      );
      assert.equal(renewalReason(parseBundle(toSecretData(fresh)), names, world.now()), undefined);
    }),
    { numRuns: 15 },
  );
});

test('a renewal keeps the authority, and a new authority keeps the old one trusted until it expires', async () => {
  const later = testWorld();
  later.advance(60 * DAY);
  const renewed = await issueBundle(bundle, names, lifetimes, later);
  assert.equal(renewed.trusted, bundle.trusted);
  assert.notEqual(renewed.serving.certificate, bundle.serving.certificate);

  later.advance(640 * DAY);
  const published = await publishNext(renewed, lifetimes, later);
  assert.equal(published.trusted, `${published.next?.certificate}${bundle.authority.certificate}`);
  assert.equal(published.serving, renewed.serving);
  const succeeded = await succeed(published, names, lifetimes, later);
  assert.deepEqual(succeeded.authority, published.next);
  assert.equal(succeeded.trusted, published.trusted);
  assert.ok(!Object.values(toSecretData(succeeded)).includes(bundle.authority.key), 'the old key is gone');

  later.advance(310 * DAY);
  const forgotten = await issueBundle(succeeded, names, lifetimes, later);
  assert.equal(certificatesIn(forgotten.trusted).length, 1);
});

test('a certificate that nobody would accept is not stored', async () => {
  const dead = issueBundle(NOTHING_REUSABLE, names, { ...lifetimes, serving: 0 }, world);
  await assert.rejects(dead, { code: 'ISSUED_UNUSABLE', message: /\(expired\); check/ });
});

test('a Secret that is spoilt again and again does not make what callers trust grow for ever', async () => {
  let trusted = '';
  for (let i = 0; i < 10; i++)
    ({ trusted } = await issueBundle({ ...NOTHING_REUSABLE, trusted }, names, lifetimes, world));
  assert.equal(certificatesIn(trusted).length, 4);
});
