import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claim, creating, deployment, enforcing, operator, scaling, scene, settings, updating } from './scene.ts';

const senders = [
  ['a kubelet', { username: 'system:node:a', groups: ['system:nodes'] }],
  [
    'a controller of kube-system',
    { username: 'system:serviceaccount:kube-system:job', groups: ['system:serviceaccounts:kube-system'] },
  ],
  ['the controller manager', { username: 'system:kube-controller-manager', groups: ['system:authenticated'] }],
  ['the API server itself', { username: 'system:apiserver', groups: ['system:masters'] }],
] as const;

for (const [who, userInfo] of senders) {
  test(`a request of ${who} is never judged`, async () => {
    const { response, observation } = await scene({ labels: enforcing }).validate(creating(deployment(), { userInfo }));
    assert.deepEqual([response.allowed, observation.verdict], [true, 'skip']);
  });
}

test('configured users and namespaces are never judged, by name or by prefix', async () => {
  const exempt = { namespaces: ['sh*'], users: [], autoscalers: [] };
  const byNamespace = await scene({ labels: enforcing, settings: settings({ exempt }) }).validate(
    creating(deployment()),
  );
  assert.equal(byNamespace.observation.verdict, 'skip');
  const byUser = scene({
    labels: enforcing,
    settings: settings({ exempt: { ...exempt, namespaces: [], users: ['jane'] } }),
  });
  assert.equal((await byUser.validate(creating(deployment()))).observation.verdict, 'skip');
});

test('an object of an operator is judged and never mutated', async () => {
  const ownerReferences = [
    { apiVersion: 'db.example.com/v1', kind: 'Database', name: 'db', uid: 'x', controller: true },
  ];
  const owned = deployment({}, { ownerReferences });
  assert.equal((await scene({ labels: enforcing }).validate(creating(owned))).response.allowed, false);
  const mutating = scene({ labels: { 'rwo-guard.dev/mutate': 'recreate' } });
  assert.equal((await mutating.mutate(creating(owned))).response.patch, undefined);
});

for (const username of ['system:serviceaccount:kube-system:horizontal-pod-autoscaler', 'keda']) {
  test(`scaling by ${username} is judged and never denied`, async () => {
    const exempt = { namespaces: [], users: [], autoscalers: ['keda'] };
    const scaled = scene({ labels: enforcing, settings: settings({ exempt }) });
    scaled.add(deployment({ strategy: { type: 'Recreate' } }));
    const userInfo = { username, groups: ['system:serviceaccounts:kube-system'] };
    const { response, warnings } = await scaled.validate(scaling(1, 3, { userInfo }));
    assert.equal(response.allowed, true);
    assert.match(warnings[0] ?? '', /\[replicas-split\]$/);
  });
}

test('a claim that an operator of another namespace creates is judged and never denied', async () => {
  const waiting = scene({ labels: enforcing });
  waiting.state.tables.PersistentVolumeClaim.clear();
  waiting.add(deployment());
  const ownerReferences = [
    { apiVersion: 'db.example.com/v1', kind: 'Database', name: 'db', uid: 'x', controller: true },
  ];
  const made = claim('data', {}, { ownerReferences });
  assert.equal((await waiting.validate(creating(made))).response.allowed, false);
  const { response, warnings } = await waiting.validate(creating(made, { userInfo: operator }));
  assert.equal(response.allowed, true);
  assert.match(warnings[0] ?? '', /\[rollout-deadlock\]$/);
});

test('deletion in progress passes at once', async () => {
  const going = deployment({}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [] });
  const before = deployment({}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/f'] });
  const { response, observation } = await scene({ labels: enforcing }).validate(updating(before, going));
  assert.deepEqual([response.allowed, observation.verdict], [true, 'skip']);
});

for (const [what, changed] of [
  ['labels', deployment({}, { labels: { team: 'a' } })],
  ['status', { ...deployment(), status: { replicas: 1 } }],
] as const) {
  test(`an update of ${what} alone, which we do not look at, passes at once`, async () => {
    const { observation } = await scene({ labels: enforcing }).validate(updating(deployment(), changed));
    assert.equal(observation.verdict, 'skip');
  });
}

for (const [what, more] of [
  ['resource', { resource: { group: 'apps', version: 'v1', resource: 'controllerrevisions' } }],
  ['operation', { operation: 'CONNECT' }],
  ['subresource', { subResource: 'status' }],
] as const) {
  test(`an unknown ${what} is allowed with an audit annotation`, async () => {
    const { response } = await scene({ labels: enforcing }).validate(creating(deployment(), more));
    assert.equal(response.allowed, true);
    assert.match(response.auditAnnotations?.skipped ?? '', /not judged$/);
  });
}
