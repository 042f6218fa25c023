import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookChecks } from '../../src/doctor/webhook-checks.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import { configurations, DEPLOYMENT, entry, installation, namespace, told } from './installations.ts';

const KUBECTL = 'apply the manifests once more: kubectl apply -k my, or helm upgrade --install';
const MUTATING = { kind: 'MutatingWebhookConfiguration', name: 'rwo-guard' } as const;
const [VALIDATING] = configurations();

test('each entry says for how many namespaces it is called, and how', () => {
  const { checks } = webhookChecks(installation());
  assert.deepEqual(
    checks.map(({ says }) => says),
    [
      'enforce.rwo-guard.dev (Ignore, 3 s) is called for 1 of 2 namespaces',
      'advise.rwo-guard.dev (Ignore, 3 s) is called for 2 of 2 namespaces',
      'mutate.rwo-guard.dev (Ignore, 3 s) is called for 2 of 2 namespaces',
    ],
  );
});

test('a mutating configuration without a validating one is a problem', () => {
  const { kind, name } = VALIDATING ?? assert.fail();
  const alone = [{ kind, name, found: known(undefined) }, ...configurations().slice(1)];
  assert.deepEqual(told(webhookChecks(installation({ configurations: alone }))), [
    `problem: ValidatingWebhookConfiguration rwo-guard does not exist: nothing is judged => ${KUBECTL}`,
  ]);
});

test('without a mutating configuration it depends on whether a namespace asks for repairs', () => {
  const without = [...configurations().slice(0, 1), { ...MUTATING, found: known(undefined) }];
  const says = `MutatingWebhookConfiguration rwo-guard does not exist: nothing is repaired => ${KUBECTL}`;
  assert.deepEqual(told(webhookChecks(installation({ configurations: without }))), [`warning: ${says}`]);
  const namespaces = known([namespace('shop', { 'rwo-guard.dev/mutate': 'auto' })]);
  assert.deepEqual(told(webhookChecks(installation({ configurations: without, namespaces }))), [`problem: ${says}`]);
});

test('an entry that is gone is named, with what Helm needs to put it back', () => {
  const read = installation({
    configurations: configurations([entry('enforce.rwo-guard.dev')]),
    deployment: known({ ...DEPLOYMENT, release: 'rwo-guard' }),
  });
  const [line, ...others] = told(webhookChecks(read));
  assert.match(
    line ?? '',
    /^problem: ValidatingWebhookConfiguration rwo-guard has no advise\.rwo-guard\.dev: nothing is judged => helm -n rwo-guard rollback/,
  );
  assert.deepEqual(others, []);
});

test('rules that leave something out are told by what they leave out', () => {
  const all = entry('advise.rwo-guard.dev').resources.filter((resource) => !resource.includes('statefulsets'));
  const read = installation({
    configurations: configurations([entry('enforce.rwo-guard.dev'), entry('advise.rwo-guard.dev', { resources: all })]),
  });
  assert.deepEqual(told(webhookChecks(read)), [
    `problem: the rules of advise.rwo-guard.dev leave out apps/statefulsets, apps/statefulsets/scale => ${KUBECTL}`,
  ]);
});

test('a rule for everything leaves nothing out', () => {
  const read = installation({
    configurations: configurations([
      entry('enforce.rwo-guard.dev', { resources: ['*/*/*'] }),
      entry('advise.rwo-guard.dev', { resources: ['*/*', '*/*/scale'] }),
    ]),
  });
  assert.deepEqual(told(webhookChecks(read)), []);
});

test('an entry that calls another Service is told where it leads', () => {
  const read = installation({
    configurations: configurations([
      entry('enforce.rwo-guard.dev', { service: { namespace: 'old', name: 'rwo-guard' } }),
      entry('advise.rwo-guard.dev'),
    ]),
  });
  assert.deepEqual(told(webhookChecks(read)), [
    'problem: enforce.rwo-guard.dev calls Service old/rwo-guard, not rwo-guard/rwo-guard => rwo-guard doctor -n old',
  ]);
});

test('a configuration that may not be read is not seen', () => {
  const found = unknown('MutatingWebhookConfiguration rwo-guard may not be read: permission missing');
  const read = installation({ configurations: [...configurations().slice(0, 1), { ...MUTATING, found }] });
  assert.deepEqual(told(webhookChecks(read)), [`not-seen: ${found.because}`]);
});

test('guards are asked for what they are there for, and missed where the settings name them', () => {
  const guard = entry('guard.rwo-guard.dev', { resources: ['/nodes', '/persistentvolumeclaims'] });
  const of = (entries: readonly ReturnType<typeof entry>[] | undefined) => [
    ...configurations(),
    { kind: 'ValidatingWebhookConfiguration', name: 'rwo-guard-guards', found: known(entries) } as const,
  ];
  assert.deepEqual(told(webhookChecks(installation({ configurations: of([guard]) }))), [
    `problem: the rules of guard.rwo-guard.dev leave out storage.k8s.io/volumeattachments => ${KUBECTL}`,
  ]);
  assert.deepEqual(told(webhookChecks(installation({ configurations: of(undefined) }))), [
    `problem: ValidatingWebhookConfiguration rwo-guard-guards does not exist: what it guards is not judged => ${KUBECTL}`,
  ]);
});
