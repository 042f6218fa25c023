import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import { comeUp } from '../../src/what-if/come-up.ts';
import { HOST } from '../forecast/scene.ts';
import { boundClaim, stored } from '../scan/cluster.ts';
import { clusterOf, DB, drained, only, pinnedTo, runningPod, said, WEB } from './scene.ts';

const BUDGET = { namespace: 'shop', name: 'web', selector: [], disruptionsAllowed: 0 };

test('a Deployment comes up elsewhere once its pod has ended and its volume has followed', () => {
  const { outcome, withinSeconds, story } = only(drained({ objects: WEB }));
  assert.deepEqual([outcome, withinSeconds], ['comes-up', 40]);
  assert.deepEqual(
    story.map(({ from, to }) => [from, to]),
    [
      [0, 30],
      [0, undefined],
      [30, 40],
      [40, undefined],
    ],
  );
});

test('a StatefulSet comes up elsewhere', () => {
  assert.equal(only(drained({ objects: DB })).outcome, 'comes-up');
});

test('a pod is given the time that it asks for', () => {
  const objects = [
    ...WEB.slice(0, -1),
    runningPod({ name: 'web-1-a', node: 'a1', spec: { terminationGracePeriodSeconds: 3600 } }),
  ];
  assert.equal(only(drained({ objects })).withinSeconds, 3610);
});

test('a volume on the node itself leaves its pod nowhere to go', () => {
  assert.deepEqual(said(drained({ objects: pinnedTo(WEB, HOST, 'a1') })), [
    'Deployment web cannot: no node that is left can use the volume of claim data',
  ]);
});

test('two Deployments on one claim that were together on the node may part', () => {
  const objects = [
    ...WEB,
    ...stored({ name: 'worker' }),
    runningPod({ name: 'worker-1-a', node: 'a1', owner: ['ReplicaSet', 'worker-1'] }),
  ];
  assert.deepEqual(said(drained({ objects })), [
    'Deployment web may be cannot: claim data is attached to another node (Multi-Attach)',
    'Deployment worker may be cannot: claim data is attached to another node (Multi-Attach)',
  ]);
});

test('a PodDisruptionBudget that lets no pod go blocks the drain', () => {
  assert.deepEqual(said(drained({ objects: WEB, budgets: known([BUDGET]) })), [
    'Deployment web blocked: PodDisruptionBudget web lets no pod go now',
  ]);
  const others = [
    { ...BUDGET, namespace: 'other' },
    { ...BUDGET, selector: undefined },
    { ...BUDGET, disruptionsAllowed: 1 },
  ];
  for (const one of others) assert.equal(only(drained({ objects: WEB, budgets: known([one]) })).outcome, 'comes-up');
  const two = [
    { ...BUDGET, disruptionsAllowed: 1 },
    { ...BUDGET, name: 'also', disruptionsAllowed: 1 },
  ];
  assert.match(
    only(drained({ objects: WEB, budgets: known(two) })).because,
    /^2 PodDisruptionBudgets are about pod web-1-a/,
  );
});

test('budgets that may not be read are told of', () => {
  const { notes, affected } = drained({ objects: WEB, budgets: unknown('permission missing') });
  assert.match(notes[1] ?? '', /^Whether PodDisruptionBudgets block it is not known: permission missing/);
  assert.equal(affected[0]?.outcome, 'comes-up');
});

test('pods of a DaemonSet are left alone, and a bare pod stops the drain', () => {
  const objects = [
    ...boundClaim('data'),
    ...stored({ kind: 'DaemonSet', name: 'agent', claims: [] }),
    runningPod({ name: 'agent-a', node: 'a1', owner: ['DaemonSet', 'agent'], claims: [] }),
    { ...runningPod({ name: 'bare', node: 'a1', claims: [] }), metadata: { namespace: 'shop', name: 'bare' } },
    runningPod({ name: 'gone', node: 'a1', phase: 'terminating', claims: [] }),
  ];
  assert.deepEqual(
    drained({ objects }).affected.map(({ resource, outcome }) => [resource.name, outcome]),
    [
      ['bare', 'blocked'],
      ['agent', 'stays'],
    ],
  );
});

test('what takes more steps than there are is not known', () => {
  const cluster = clusterOf({ objects: WEB });
  const [pod] = cluster.pods.on('a1');
  const keeper = pod && cluster.pods.keeperOf(pod);
  assert.ok(pod !== undefined && keeper?.type === 'workload');
  const situation = { cluster, snapshot: cluster.snapshot, matrix: storageMatrix(), gone: new Set(['a1']), stay: true };
  const asked = (operations: number) =>
    comeUp({ workload: keeper.workload, pods: [pod] }, { ...situation, budget: new Budget(operations) });
  assert.deepEqual(asked(10), {
    ways: 'some',
    waits: [],
    open: ['it takes more steps to find out than one question has'],
  });
  assert.equal(asked(5000).ways, 'none');
});
