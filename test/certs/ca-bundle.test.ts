import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { CertificateBundle } from '../../certs/bundle.ts';
import { NOTHING_REUSABLE } from '../../certs/bundle.ts';
import { type ConfigurationReading, compareCaBundle } from '../../certs/ca-bundle.ts';
import { CertificatesError } from '../../certs/certificates-error.ts';
import { DEFAULT_LIFETIMES, issueBundle } from '../../certs/issuance.ts';
import { servingCertificate } from '../../certs/x509.ts';
import { testWorld } from './test-world.ts';

const world = testWorld();
let ours: CertificateBundle;
let other: CertificateBundle;

before(async () => {
  ours = await issueBundle(NOTHING_REUSABLE, ['a.b.svc'], DEFAULT_LIFETIMES, world);
  other = await issueBundle(NOTHING_REUSABLE, ['a.b.svc'], DEFAULT_LIFETIMES, world);
});

function configuration(...caBundles: readonly string[]): ConfigurationReading {
  const entries = caBundles.map((caBundle, i) => ({ name: `entry-${i}`, caBundle }));
  const kind = 'MutatingWebhookConfiguration';
  return { known: true, configuration: { kind, name: 'rwo-guard', uid: '', resourceVersion: '', entries } };
}

const absent: ConfigurationReading = { known: true, configuration: undefined };
const unread: ConfigurationReading = { known: false, failure: new CertificatesError('API_REFUSED', 'allow it') };

function compare(...readings: readonly ConfigurationReading[]): string {
  return compareCaBundle(readings, servingCertificate(ours.serving, ours.trusted), world.now()).state;
}

test('a caBundle is in sync where each entry verifies what is served, with whatever else it trusts', () => {
  assert.equal(compare(configuration(ours.trusted, other.trusted + ours.trusted), absent), 'in-sync');
});

test('a caBundle is out of sync where one entry of one configuration trusts somebody else, nobody, or nonsense', () => {
  for (const wrong of [other.trusted, '', '\n', 'nonsense']) {
    assert.equal(compare(configuration(ours.trusted), configuration(ours.trusted, wrong)), 'out-of-sync');
  }
});

test('what is certainly wrong is said before what could not be read, and that before what is right', () => {
  assert.equal(compare(unread, configuration(other.trusted)), 'out-of-sync');
  assert.equal(compare(configuration(ours.trusted), unread), 'unknown');
  assert.equal(compare(absent, unread), 'unknown');
  assert.equal(compare(absent, absent), 'no-configuration');
});
