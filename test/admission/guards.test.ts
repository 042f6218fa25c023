import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Guards } from '../../src/admission/context.ts';
import { unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Act, guardFixture, merged, nodesOf, reviewOf } from '../guard-fixtures.ts';
import { claim, deployment, enforcing, scene, settings } from './scene.ts';

const MOUNTED = guardFixture('attachment-in-use', 'fail', 'mounted');
const READY = guardFixture('out-of-service-ready-node', 'fail', 'ready-node');
const LOST = guardFixture('out-of-service-ready-node', 'pass', 'not-ready');
const COMES_BACK = guardFixture('out-of-service-removed-early', 'fail', 'same-boot');

interface Around extends Partial<Guards> {
  readonly labels?: object;
  readonly exemptUsers?: readonly string[];
  readonly staleFor?: number;
  readonly objects?: readonly JsonObject[];
}

/** What is answered where guards enforce and namespaces are warned. */
function answered(act: Act, around: Around = {}, more: object = {}) {
  const { labels = {}, exemptUsers = [], objects = MOUNTED.objects, staleFor, ...guards } = around;
  const here = scene({
    labels,
    guards: { mode: 'enforce', nodes: nodesOf(objects), ...guards },
    settings: settings({ exempt: { namespaces: [], users: exemptUsers, autoscalers: [] } }),
    ...(staleFor !== undefined && { staleFor: () => staleFor }),
  });
  here.add(...objects.filter(({ kind }) => kind !== 'VolumeAttachment'));
  const { request } = reviewOf(act) as { readonly request: object };
  return { validated: here.validate({ ...request, ...more }), mutated: here.mutate({ ...request, ...more }), here };
}

test('what has no namespace is judged by the mode of guards, and not by that of namespaces', async () => {
  const { response } = await answered(MOUNTED.act).validated;
  assert.equal(response.allowed, false);
  assert.match(
    response.status?.message ?? '',
    /^VolumeAttachment csi-1: its volume is still in use \[attachment-in-use\]\n/,
  );
  for (const mode of ['warn', 'audit', 'off'] as const) {
    const told = await answered(MOUNTED.act, { mode }).validated;
    assert.deepEqual([told.response.allowed, told.warnings.length], [true, mode === 'warn' ? 1 : 0]);
    assert.equal(told.observation.findings.length, mode === 'off' ? 0 : 1);
  }
});

test('what has a namespace is judged by that one’s mode, and without it by that of guards', async () => {
  const act: Act = { operation: 'DELETE', target: claim(), patch: {}, options: {}, user: undefined };
  for (const [labels, mode, expected] of [
    [{}, 'warn', 'warn'],
    [enforcing, 'audit', 'enforce'],
    [{ 'rwo-guard.dev/mode': 'off' }, 'warn', 'off'],
  ] as const) {
    const { validated, here } = answered(act, { labels, mode });
    here.add(deployment());
    assert.equal((await validated).observation.mode, expected);
  }
});

test('without guards nothing that they are for is judged', async () => {
  const { request } = reviewOf(MOUNTED.act) as { readonly request: object };
  const { observation } = await scene().validate(request);
  assert.deepEqual([observation.verdict, observation.skipped], ['skip', 'operation DELETE is not judged']);
});

test('of a whole collection each object is named as it is itself', async () => {
  const { response, observation } = await answered(MOUNTED.act, {}, { name: '' }).validated;
  assert.equal(observation.name, 'csi-1');
  assert.match(response.status?.message ?? '', /^VolumeAttachment csi-1:/);
});

test('a dry run is warned of', async () => {
  const { response, warnings } = await answered(MOUNTED.act, {}, { dryRun: true }).validated;
  assert.equal(response.allowed, true);
  assert.match(warnings[0] ?? '', /^would be denied: VolumeAttachment csi-1: volume disk-1 in use on node-a/);
});

test('an object that says why is let through, and leaves a trace', async () => {
  const annotations = { 'rwo-guard.dev/ignore': 'attachment-in-use until=2099-12-31: the disk is a test' };
  const target = merged(MOUNTED.act.target, { metadata: { annotations } });
  const { response, observation } = await answered({ ...MOUNTED.act, target }).validated;
  assert.equal(response.allowed, true);
  assert.deepEqual(observation.exempted, [
    { name: 'csi-1', rules: ['attachment-in-use'], reason: 'the disk is a test' },
  ]);
});

for (const userInfo of [
  {
    username: 'system:serviceaccount:kube-system:attachdetach-controller',
    groups: ['system:serviceaccounts:kube-system'],
  },
  {
    username: 'system:serviceaccount:kube-system:pod-garbage-collector',
    groups: ['system:serviceaccounts:kube-system'],
  },
  { username: 'system:kube-controller-manager' },
  { username: 'system:node:node-a', groups: ['system:nodes'] },
  { username: 'system:serviceaccount:medik8s:self-node-remediation' },
]) {
  test(`${userInfo.username} is never judged`, async () => {
    const exemptUsers = ['system:serviceaccount:medik8s:*'];
    const { observation } = await answered(MOUNTED.act, { exemptUsers }, { userInfo }).validated;
    assert.equal(observation.verdict, 'skip');
  });
}

test('what may not be read denies nothing, and is said', async () => {
  const refused = unknown('pods on node-a may not be read: permission missing');
  const starting = guardFixture('attachment-in-use', 'fail', 'pod-on-the-node');
  const nodes = { ...nodesOf(starting.objects), podsOn: async () => refused };
  const { response, warnings } = await answered(starting.act, { nodes, objects: starting.objects }).validated;
  assert.equal(response.allowed, true);
  assert.deepEqual(warnings, [
    'VolumeAttachment csi-1: not judged: pods on node-a may not be read: permission missing; make sure of it first [claim-unknown]',
  ]);
});

test('pods are not read where their node tells', async () => {
  const nodes = { ...nodesOf(MOUNTED.objects), podsOn: () => assert.fail('pods were read') };
  assert.equal((await answered(MOUNTED.act, { nodes }).validated).response.allowed, false);
});

test('a state that is old denies all the same, for what decides was read just now', async () => {
  assert.equal((await answered(MOUNTED.act, { staleFor: 600 }).validated).response.allowed, false);
});

test('a node that names more volumes than a review has steps for is not judged', async () => {
  const volumesInUse = Array.from({ length: 50_000 }, (_, n) => `kubernetes.io/csi/disk.example.com^${n}`);
  const objects = MOUNTED.objects.map((object) =>
    object.kind === 'Node' ? merged(object, { status: { volumesInUse } }) : object,
  );
  const { response, observation } = await answered(MOUNTED.act, { objects }).validated;
  assert.deepEqual([response.allowed, observation.overBudget], [true, true]);
});

test('so is one that is deleted with as many', async () => {
  const { act } = guardFixture('node-deleted-in-use', 'fail', 'mounted');
  const volumesInUse = Array.from({ length: 50_000 }, (_, n) => `kubernetes.io/csi/disk.example.com^${n}`);
  const target = merged(act.target, { status: { volumesInUse } });
  const { response, observation } = await answered({ ...act, target }).validated;
  assert.deepEqual([response.allowed, observation.overBudget], [true, true]);
});

test('the boot id is written down when the taint comes', async () => {
  const { response, observation } = await answered(LOST.act).mutated;
  assert.deepEqual(JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString()), [
    { op: 'add', path: '/metadata/annotations', value: { 'rwo-guard.dev/out-of-service-boot-id': 'boot-1' } },
  ]);
  assert.deepEqual(observation.mutations, ['boot-id']);
});

test('the boot id goes with the taint', async () => {
  const { response } = await answered(COMES_BACK.act).mutated;
  assert.deepEqual(JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString()), [
    { op: 'remove', path: '/metadata/annotations/rwo-guard.dev~1out-of-service-boot-id' },
  ]);
});

test('nothing is written down where guards are off, and nothing twice', async () => {
  assert.equal((await answered(LOST.act, { mode: 'off' }).mutated).response.patch, undefined);
  const stays = guardFixture('out-of-service-removed-early', 'pass', 'stays');
  assert.equal((await answered(stays.act).mutated).response.patch, undefined);
});

test('a Ready node that had the taint before is warned of, and not denied', async () => {
  assert.equal((await answered(READY.act).validated).response.allowed, false);
  const { response, warnings } = await answered(guardFixture('out-of-service-ready-node', 'fail', 'came-back').act)
    .validated;
  assert.equal(response.allowed, true);
  assert.match(warnings[0] ?? '', /^Node node-a: out-of-service while it is Ready; /);
});
