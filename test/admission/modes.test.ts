import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claim, creating, deployment, enforcing, scene, settings } from './scene.ts';

const mode = (value: string) => ({ 'rwo-guard.dev/mode': value });

test('enforce denies errors with 403 Forbidden, in a few lines with the rule in brackets and what helps', async () => {
  const { response } = await scene({ labels: enforcing }).validate(creating(deployment()));
  assert.equal(response.allowed, false);
  assert.equal(response.uid, 'u-1');
  assert.deepEqual([response.status?.code, response.status?.reason], [403, 'Forbidden']);
  assert.match(
    response.status?.message ?? '',
    /^Deployment shop\/web: .*\[rollout-deadlock\]\n {2}why: .*claim data.*\n {2}fix: {2}spec\.strategy: \{type: Recreate\}\n/,
  );
  assert.doesNotMatch(response.status?.message ?? '', /[^\P{Cc}\n]/u);
});

test('enforce warns of warnings', async () => {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
  const { response, warnings } = await scene({ labels: enforcing }).validate(creating(deployment({ strategy })));
  assert.equal(response.allowed, true);
  assert.deepEqual(warnings, [
    'Deployment shop/web: a rollout waits while claim data moves; set strategy Recreate [rollout-transient]',
  ]);
});

test('warn warns of errors and allows', async () => {
  const { response, warnings } = await scene({ labels: mode('warn') }).validate(creating(deployment()));
  assert.equal(response.allowed, true);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /\[rollout-deadlock\]$/);
  assert.ok((warnings[0] ?? '').length <= 120);
});

test('audit annotates and says nothing to the user', async () => {
  const { response, warnings } = await scene({ labels: mode('audit') }).validate(creating(deployment()));
  assert.deepEqual([response.allowed, warnings], [true, []]);
  assert.equal(response.auditAnnotations?.mode, 'audit');
  assert.match(response.auditAnnotations?.findings ?? '', /rollout-deadlock/);
});

test('off does nothing, mutation included', async () => {
  const off = scene({ labels: { ...mode('off'), 'rwo-guard.dev/mutate': 'recreate' } });
  const { response, warnings } = await off.validate(creating(deployment()));
  assert.deepEqual([response.allowed, warnings, response.auditAnnotations], [true, [], { mode: 'off' }]);
  assert.equal((await off.mutate(creating(deployment()))).response.patch, undefined);
});

test('without a label the configured default holds', async () => {
  const strict = settings({ defaultMode: 'enforce' });
  assert.equal((await scene({ settings: strict }).validate(creating(deployment()))).response.allowed, false);
  assert.equal((await scene().validate(creating(deployment()))).response.allowed, true);
});

test('a bad value of the label is answered with a warning, and the configured default holds', async () => {
  const { response, warnings } = await scene({ labels: mode('strict') }).validate(creating(deployment()));
  assert.equal(response.allowed, true);
  assert.match(warnings.at(-1) ?? '', /rwo-guard\.dev\/mode=strict is none of enforce, warn, audit, off/);
});

test('a label that cannot be read means the default and never a denial', async () => {
  const blind = scene({
    settings: settings({ defaultMode: 'enforce' }),
    lookUp: async (refs) =>
      refs.map((ref) => ({ ...ref, found: { known: false, because: 'namespaces cannot be read' } })),
  });
  blind.state.tables.Namespace.clear();
  const { response, warnings } = await blind.validate(creating(deployment()));
  assert.equal(response.allowed, true);
  assert.match(warnings[0] ?? '', /rollout-deadlock/);
});

test('a dry run turns a denial into a warning that says it would be denied', async () => {
  const { response, warnings } = await scene({ labels: enforcing }).validate(creating(deployment(), { dryRun: true }));
  assert.equal(response.allowed, true);
  assert.match(warnings[0] ?? '', /^would be denied: Deployment shop\/web: .*\[rollout-deadlock\]$/);
});

test('dryRun: same denies in a dry run too', async () => {
  const same = settings({ policy: { dryRun: 'same', existing: 'warn', exemptions: 'allow', overBudget: 'warn' } });
  const { response } = await scene({ labels: enforcing, settings: same }).validate(
    creating(deployment(), { dryRun: true }),
  );
  assert.equal(response.allowed, false);
});

test('the gravest finding comes first', async () => {
  const { warnings } = await scene().validate(creating(deployment({}, {}, volumes('later', 'data'))));
  assert.deepEqual(
    warnings.map((line) => /\[(.*)\]$/.exec(line)?.[1]),
    ['rollout-deadlock', 'claim-unknown'],
  );
});

test('a claim that asks for a mode its provisioner refuses is denied in enforce', async () => {
  const ebs = scene({ labels: enforcing });
  ebs.add({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'gp3' },
    provisioner: 'ebs.csi.aws.com',
  });
  const shared = claim('shared', { accessModes: ['ReadWriteMany'], storageClassName: 'gp3' });
  const { response } = await ebs.validate(creating(shared));
  assert.equal(response.allowed, false);
  assert.match(
    response.status?.message ?? '',
    /\[access-mode-unsupported\]\n {2}why: {2}ebs\.csi\.aws\.com makes no volumes for ReadWriteMany/,
  );
});

function volumes(...claimNames: readonly string[]): object {
  return { volumes: claimNames.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) };
}
