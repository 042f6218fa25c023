import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateChecks } from '../../src/doctor/certificate-checks.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import { configurations, entry, installation, SETTINGS, told } from './installations.ts';

const LOGS = 'kubectl -n rwo-guard logs -l app.kubernetes.io/name=rwo-guard --prefix --tail=50';
const STATUS = { problems: [], authorities: [], rotation: 'none', certificate: undefined, caBundles: [] } as const;

test('a caBundle that verifies nothing comes with the command that puts it right', () => {
  const caBundle = { kind: 'ValidatingWebhookConfiguration', configuration: 'rwo-guard' };
  const caBundles = [
    { ...caBundle, entry: 'enforce.rwo-guard.dev', agrees: true, strange: 0 },
    { ...caBundle, entry: 'advise.rwo-guard.dev', agrees: false, strange: 1 },
  ];
  const problems = ['the caBundle of advise.rwo-guard.dev does not verify the certificate: calls fail until it does'];
  const read = installation({ certificates: known({ ...STATUS, caBundles, problems }) });
  assert.deepEqual(told(certificateChecks(read)), [
    'problem: the caBundle of advise.rwo-guard.dev does not verify the certificate: its calls fail => kubectl patch validatingwebhookconfiguration rwo-guard --type=json -p "' +
      String.raw`[{\"op\":\"add\",\"path\":\"/webhooks/1/clientConfig/caBundle\",\"value\":\"$(kubectl -n rwo-guard get secret rwo-guard-tls -o jsonpath='{.data.ca\.crt}')\"}]"`,
  ]);
});

test('what is wrong with the Secret is told in the words of certs status', () => {
  const read = installation({ certificates: known({ ...STATUS, problems: ['Secret a/b does not exist'] }) });
  assert.deepEqual(told(certificateChecks(read)), [`problem: Secret a/b does not exist => ${LOGS}`]);
});

test('a Secret that may not be read is not seen, and an empty caBundle is wrong all the same', () => {
  const read = installation({
    certificates: unknown('the API server does not let us get Secret rwo-guard/rwo-guard-tls'),
    configurations: configurations([entry('enforce.rwo-guard.dev', { hasCaBundle: false })]),
  });
  assert.deepEqual(told(certificateChecks(read)), [
    'not-seen: the API server does not let us get Secret rwo-guard/rwo-guard-tls',
    `problem: the caBundle of enforce.rwo-guard.dev is empty: its calls fail => ${LOGS}`,
  ]);
});

test('of mounted certificates only a call shows whether they are trusted', () => {
  const settings = { ...SETTINGS, certificates: { source: 'files', secretName: '' } } as const;
  assert.deepEqual(told(certificateChecks(installation({ settings }))), [
    'not-seen: the certificate, which is mounted: whether a caBundle verifies it, only a call shows',
  ]);
  const entries = configurations([entry('enforce.rwo-guard.dev', { hasCaBundle: false })]);
  const [line] = told(certificateChecks(installation({ settings, configurations: entries })));
  assert.match(line ?? '', /^problem: the caBundle of enforce.* is empty: its calls fail => whoever mounts/);
});

test('an authority that is left over in a caBundle is told, with the command that takes it out', () => {
  const caBundle = { kind: 'MutatingWebhookConfiguration', configuration: 'rwo-guard', entry: 'mutate.rwo-guard.dev' };
  const caBundles = [{ ...caBundle, agrees: true, strange: 1 }];
  const [line] = told(certificateChecks(installation({ certificates: known({ ...STATUS, caBundles }) })));
  assert.match(
    line ?? '',
    /^warning: the caBundle of mutate.* trusts an authority of somebody else, or left over => kubectl patch mutatingw/,
  );
});
