import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificateStatus } from '../../certs/index.ts';
import { CERTS_FORMATS } from '../../src/commands/certs-format.ts';

const status: CertificateStatus = {
  problems: ['the caBundle of mutate.rwo-guard.dev does not verify the certificate: calls fail until it does'],
  certificate: {
    names: ['rwo-guard.rwo-guard.svc', 'rwo-guard.rwo-guard.svc.cluster.local'],
    notAfter: new Date('2027-02-19T12:00:00Z'),
    fingerprint: 'ab'.repeat(32),
  },
  authorities: [
    { fingerprint: 'cd'.repeat(32), notAfter: new Date('2036-11-19T12:00:00Z'), role: 'next' },
    { fingerprint: 'ef'.repeat(32), notAfter: new Date('2030-11-20T12:00:00Z'), role: 'signs' },
  ],
  rotation: 'waiting-for-trust',
  caBundles: [
    {
      kind: 'ValidatingWebhookConfiguration',
      configuration: 'rwo-guard',
      entry: 'enforce.rwo-guard.dev',
      agrees: true,
      strange: 0,
    },
    {
      kind: 'MutatingWebhookConfiguration',
      configuration: 'rwo-guard',
      entry: 'mutate.rwo-guard.dev',
      agrees: false,
      strange: 0,
    },
  ],
};

test('as text the status has one thing a line, and what is wrong at the end', () => {
  assert.equal(
    CERTS_FORMATS.get('text')?.(status),
    [
      'certificate  valid until 2027-02-19T12:00:00.000Z, for rwo-guard.rwo-guard.svc, rwo-guard.rwo-guard.svc.cluster.local',
      'CA           signs next, valid until 2036-11-19T12:00:00.000Z, cdcdcdcdcdcdcdcd',
      'CA           signs, valid until 2030-11-20T12:00:00.000Z, efefefefefefefef',
      'rotation     a new CA signs once callers have trusted it for a minute',
      'caBundle     enforce.rwo-guard.dev agrees',
      'caBundle     mutate.rwo-guard.dev does not agree',
      'problem      the caBundle of mutate.rwo-guard.dev does not verify the certificate: calls fail until it does',
      '',
    ].join('\n'),
  );
});

test('where there is no certificate, the text does not say that a caBundle disagrees', () => {
  const caBundles = status.caBundles.map((caBundle) => ({ ...caBundle, agrees: undefined }));
  const text = CERTS_FORMATS.get('text')?.({ ...status, certificate: undefined, caBundles }) ?? '';
  assert.match(text, /^caBundle {5}enforce\.rwo-guard\.dev cannot be told: there is no certificate/m);
  assert.doesNotMatch(text, /agree/);
});

test('as JSON the status is the same, and says in one word whether all is well', () => {
  const of = (given: CertificateStatus) => JSON.parse(CERTS_FORMATS.get('json')?.(given) ?? '');
  assert.deepEqual(of(status), { good: false, ...JSON.parse(JSON.stringify(status)) });
  assert.equal(of({ ...status, problems: [] }).good, true);
});
