import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CertificatesError } from '../../certs/certificates-error.ts';
import { readiness } from '../../certs/polled-source.ts';
import type { CaBundle, ServingCertificate } from '../../certs/source.ts';

const now = new Date('2026-06-01T00:00:00Z');
const served: ServingCertificate = {
  certificate: '',
  key: '',
  authorities: '',
  fingerprint: '',
  notAfter: new Date('2026-07-01T00:00:00Z'),
};
const refused = new CertificatesError('API_REFUSED', 'allow it');
const inSync: CaBundle = { state: 'in-sync' };

test('callers may come while the caBundle verifies the certificate, whatever else went wrong', () => {
  assert.deepEqual(readiness(served, inSync, refused, now), { ready: true });
});

test('callers may come while there is no webhook configuration, since none of them will', () => {
  assert.deepEqual(readiness(served, { state: 'no-configuration' }, undefined, now), { ready: true });
});

const cases: readonly [
  string,
  ServingCertificate | undefined,
  CaBundle,
  CertificatesError | undefined,
  Date,
  unknown,
][] = [
  [
    'without a certificate',
    undefined,
    inSync,
    undefined,
    now,
    ['no-certificate', 'the first certificate is still being fetched'],
  ],
  ['without a certificate, and tells what hinders it', undefined, inSync, refused, now, ['no-certificate', 'allow it']],
  [
    'once the certificate has expired',
    served,
    inSync,
    refused,
    served.notAfter,
    ['expired', 'the certificate served expired at 2026-07-01T00:00:00.000Z: allow it'],
  ],
  [
    'while a caBundle does not verify the certificate',
    served,
    { state: 'out-of-sync', because: 'it differs' },
    undefined,
    now,
    ['ca-bundle-out-of-sync', 'it differs'],
  ],
  [
    'while nobody could read the caBundle',
    served,
    { state: 'unknown', because: 'refused' },
    refused,
    now,
    ['ca-bundle-unknown', 'refused'],
  ],
];
for (const [name, certificate, caBundle, failure, at, expected] of cases) {
  test(`callers are kept away ${name}`, () => {
    const state = readiness(certificate, caBundle, failure, at);
    assert.ok(!state.ready);
    assert.deepEqual([state.reason, state.because], expected);
  });
}
