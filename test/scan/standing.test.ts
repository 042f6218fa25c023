import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { Ignores } from '../../src/rules/configured-ignores.ts';
import { scan } from '../../src/scan/scan.ts';
import { boundClaim, type DescribedPod, pod, scannedObjects, storage, stored } from './cluster.ts';

const RECREATE = { strategy: { type: 'Recreate' } };

/** What is told of the findings of one rule, in a cluster of these objects. */
function standing(rule: string, objects: readonly JsonObject[], ...pods: readonly DescribedPod[]) {
  const report = scan(scannedObjects(...storage('data'), ...objects, ...pods.map(pod)), {
    cluster: { name: 'test', readAt: '2026-11-22T10:00:00Z' },
    namespace: undefined,
    matrix: storageMatrix(),
    stories: undefined,
    ignores: new Ignores([], '2026-11-22'),
    teamLabel: 'team',
  });
  return report.findings.filter((finding) => finding.rule.id === rule).map(({ now }) => now);
}

test('a pod that waits on one node for what another has on its node has been struck', () => {
  const [now] = standing(
    'rollout-deadlock',
    stored(),
    { name: 'web-1-a', node: 'node-1' },
    { name: 'web-1-b', node: 'node-2', phase: 'starting' },
  );
  assert.deepEqual(now, {
    state: 'struck',
    because: 'pod web-1-b waits on node-2 since 2026-11-01T12:00:00Z for data, which pod web-1-a has on node-1',
  });
});

test('so has one whose volume a pod of nobody has', () => {
  const [now] = standing(
    'rollout-deadlock',
    stored(),
    { name: 'debug', node: 'node-1', owner: ['Node', 'node-1'] },
    { name: 'web-1-b', node: 'node-2', phase: 'starting' },
  );
  assert.equal(now?.state, 'struck');
});

for (const [what, ...pods] of [
  ['a pod that starts where nobody else has the volume', { name: 'web-1-a', node: 'node-1', phase: 'starting' }],
  [
    'a pod that starts on the node that has the volume',
    { name: 'web-1-a', node: 'node-1' },
    { name: 'web-1-b', node: 'node-1', phase: 'starting' },
  ],
  [
    'a pod that waits for one that is going',
    { name: 'web-1-a', node: 'node-1', phase: 'terminating' },
    { name: 'web-1-b', node: 'node-2', phase: 'starting' },
  ],
  [
    'a pod that has no node, for whatever reason',
    { name: 'web-1-a', node: 'node-1' },
    { name: 'web-1-b', phase: 'pending' },
  ],
  ['a pod that runs', { name: 'web-1-a', node: 'node-1' }],
] as const) {
  test(`${what} has not been struck`, () => {
    assert.deepEqual(
      standing('rollout-deadlock', stored(), ...pods).map((now) => now?.state),
      ['armed'],
    );
  });
}

test('replicas that share a node are lucky so far', () => {
  const [now] = standing(
    'replicas-split',
    stored({ replicas: 2, spec: RECREATE }),
    { name: 'web-1-a', node: 'node-1' },
    { name: 'web-1-b', node: 'node-1' },
  );
  assert.deepEqual(now, { state: 'lucky', because: 'all 2 pods are on node-1, and nothing keeps them there' });
});

test('two workloads on one claim are lucky while all their pods share a node, and struck when they do not', () => {
  const objects = [...stored({ spec: RECREATE }), ...stored({ name: 'job', spec: RECREATE })];
  const web = { name: 'web-1-a', node: 'node-1' };
  const owner = ['ReplicaSet', 'job-1'] as const;
  const beside = standing('claim-shared', objects, web, { name: 'job-1-a', node: 'node-1', owner });
  assert.deepEqual(new Set(beside.map((now) => now?.state)), new Set(['lucky']));
  const apart = standing('claim-shared', objects, web, { name: 'job-1-a', node: 'node-2', phase: 'starting', owner });
  assert.deepEqual(apart.map((now) => now?.state).sort(), ['armed', 'struck']);
});

test('a pod without a node has been struck where another has the claim for one pod', () => {
  const objects = stored({ claims: ['one'] });
  const [now] = standing(
    'rollout-blocked',
    [...boundClaim('one', 'ReadWriteOncePod'), ...objects],
    { name: 'web-1-a', node: 'node-1', claims: ['one'] },
    { name: 'web-1-b', phase: 'pending', claims: ['one'] },
  );
  assert.equal(now?.state, 'struck');
  assert.match(now?.because ?? '', /^pod web-1-b is Pending since .*: one lets one pod in, and pod web-1-a has it$/);
});

test('the pods of a CronJob are those of its Jobs', () => {
  const spec = { schedule: '* * * * *', concurrencyPolicy: 'Allow' };
  const states = standing(
    'claim-shared',
    stored({ kind: 'CronJob', spec }),
    { name: 'web-1-a', node: 'node-1', owner: ['Job', 'web-1'] },
    { name: 'web-1-b', node: 'node-2', phase: 'starting', owner: ['Job', 'web-1'] },
  );
  assert.deepEqual(
    states.map((now) => now?.state),
    ['struck'],
  );
});

test('a cordon that leaves the old node alone is luck, for it passes', () => {
  const cordoned = {
    ...{ apiVersion: 'v1', kind: 'Node', spec: { unschedulable: true } },
    metadata: { name: 'node-2', labels: { 'kubernetes.io/hostname': 'node-2' } },
  };
  const [now] = standing('rollout-deadlock', [...stored(), cordoned], { name: 'web-1-a', node: 'node-1' });
  assert.deepEqual(now, { state: 'lucky', because: 'as pod web-1-a is on node-1, the next rollout ends' });
});

test('an old pod where the template no longer lets one come is a hazard only from there', () => {
  const pinned = { nodeSelector: { 'kubernetes.io/hostname': 'node-2' } };
  assert.deepEqual(standing('rollout-deadlock', stored({ pod: pinned }), { name: 'web-1-a', node: 'node-2' }), []);
  const [now] = standing('rollout-deadlock', stored({ pod: pinned }), { name: 'web-1-a', node: 'node-1' });
  assert.deepEqual(now, { state: 'armed', because: 'pod web-1-a is on node-1' });
});

test('pods of very many nodes are named by a few', () => {
  const nodes = Array.from({ length: 12 }, (_, index) => `n${index + 10}`);
  const objects = nodes.map((name) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } }));
  const pods = nodes.map((node, index) => ({ name: `web-1-${index}`, node }));
  const [now] = standing('replicas-split', [...objects, ...stored({ replicas: 12, spec: RECREATE })], ...pods);
  assert.equal(now?.because, '12 pods are on n10, n11, n12 and 9 more nodes');
});

test('where none of its pods runs, that is said', () => {
  assert.deepEqual(standing('rollout-deadlock', stored()), [{ state: 'armed', because: 'none of its pods runs' }]);
});
