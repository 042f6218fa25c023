import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { HOST, node, ZONE } from '../forecast/scene.ts';
import { boundClaim, stored } from '../scan/cluster.ts';
import { A_MINUTE, DB, failing, only, pinnedTo, runningPod, said, WEB } from './scene.ts';

test('a Deployment makes another pod, which waits for the volume that the silent node has', () => {
  const answer = failing({ objects: WEB });
  assert.deepEqual(said(answer), ['Deployment web hangs: claim data is attached to another node (Multi-Attach)']);
  const { story, withinSeconds } = only(answer);
  assert.equal(withinSeconds, undefined);
  assert.deepEqual(story.slice(0, 5), [
    { says: 'its node stops answering', from: 0 },
    { says: 'the node is taken for dead, and marked node.kubernetes.io/unreachable', from: 50 },
    { says: 'its pods there are deleted, and stay Terminating: no kubelet says that they have ended', from: 110 },
    { says: 'its Deployment makes another pod at once', from: 110 },
    { says: 'it waits: claim data is attached to another node (Multi-Attach)', from: 110 },
  ]);
});

test('a Deployment on a volume for many nodes comes up once its pod is evicted', () => {
  const objects = [...boundClaim('data', 'ReadWriteMany'), ...WEB.slice(2)];
  const { outcome, withinSeconds } = only(failing({ objects }));
  assert.deepEqual([outcome, withinSeconds], ['comes-up', 110]);
});

test('a StatefulSet makes no other pod while the old one is Terminating', () => {
  assert.deepEqual(said(failing({ objects: DB })), [
    'StatefulSet db hangs: its pod is not made again while the old one is still Terminating',
  ]);
});

test('a volume in the zone that is left without nodes keeps its pod down whatever anybody does', () => {
  const scene = { nodes: ['a1', 'b1'], objects: pinnedTo(DB, ZONE, 'a') };
  assert.deepEqual(said(failing(scene)), [
    'StatefulSet db cannot: no node that is left can use the volume of claim data-db-0',
  ]);
});

test('another node of the zone takes it once the old pod is gone', () => {
  assert.equal(only(failing({ objects: pinnedTo(DB, ZONE, 'a') })).outcome, 'hangs');
});

test('a cordon of today counts', () => {
  const scene = { cordoned: ['a2'], objects: pinnedTo(WEB, ZONE, 'a') };
  assert.equal(only(failing(scene)).outcome, 'cannot');
});

test('the taint that a cordon has left for a moment does not count, and any other of today does', () => {
  const tainted = (key: string) => ({
    ...node('a2', { taints: [{ key: `node.kubernetes.io/${key}`, effect: 'NoSchedule' }] }),
  });
  const outcome = (key: string) =>
    only(failing({ nodes: ['a1', 'b1'], objects: [...pinnedTo(WEB, ZONE, 'a'), tainted(key)] })).outcome;
  assert.equal(outcome('unschedulable'), 'hangs');
  assert.equal(outcome('disk-pressure'), 'cannot');
});

test('a volume on the node itself keeps its pod down', () => {
  assert.equal(only(failing({ objects: pinnedTo(WEB, HOST, 'a1') })).outcome, 'cannot');
});

test('pods that tolerate a silent node without an end are not evicted', () => {
  const tolerations = [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }];
  const objects = [...WEB.slice(0, -1), runningPod({ name: 'web-1-a', node: 'a1', spec: { tolerations } })];
  assert.deepEqual(said(failing({ objects })), [
    'Deployment web hangs: its pods are not evicted: they tolerate node.kubernetes.io/unreachable without an end',
  ]);
});

test('of several tolerations the one with the fewest seconds counts, and without any it is none', () => {
  const without = boundClaim('data', 'ReadWriteMany');
  const after = (tolerations: readonly JsonObject[]) =>
    only(
      failing({
        objects: [...without, ...stored(), runningPod({ name: 'web-1-a', node: 'a1', spec: { tolerations } })],
      }),
    ).withinSeconds;
  assert.equal(after([...A_MINUTE, { operator: 'Exists', tolerationSeconds: 20 }, { operator: 'Exists' }]), 70);
  assert.equal(after([]), 50);
});

test('pods of a DaemonSet stay, a bare pod is lost, and of others nothing is known', () => {
  const objects = [
    ...stored({ kind: 'DaemonSet', name: 'agent', claims: [] }),
    runningPod({ name: 'agent-a', node: 'a1', owner: ['DaemonSet', 'agent'], claims: [] }),
    { ...runningPod({ name: 'bare', node: 'a1', claims: [] }), metadata: { namespace: 'shop', name: 'bare' } },
    runningPod({ name: 'cluster-1', node: 'a1', owner: ['Cluster', 'cluster'], claims: [] }),
  ];
  assert.deepEqual(said(failing({ objects })), [
    'Cluster cluster open: what Cluster cluster does is not known',
    'Pod bare lost: nobody makes a bare pod again',
    'DaemonSet agent stays: a pod of a DaemonSet belongs to its node',
  ]);
});

test('a Job waits for the end of its pod where it replaces only failed ones', () => {
  const objects = [
    ...stored({ kind: 'Job', name: 'load', claims: [] }),
    runningPod({ name: 'load-a', node: 'a1', owner: ['Job', 'load'], claims: [] }),
  ];
  assert.equal(only(failing({ objects })).outcome, 'comes-up');
  assert.equal(only(failing({ objects, late: ['shop/load'] })).outcome, 'hangs');
});

test('nothing is evicted in a zone of which most nodes are silent', () => {
  const scene = { nodes: ['a1', 'a2', 'a3', 'a4', 'b1'], silent: ['a2', 'a3'], objects: WEB };
  assert.match(only(failing(scene)).because, /^its pods are not evicted: 3 of the 4 nodes of its zone would be silent/);
  assert.equal(
    only(failing({ ...scene, silent: ['a2'] })).because,
    'claim data is attached to another node (Multi-Attach)',
  );
});

test('of a zone that is silent as a whole pods are evicted, node after node', () => {
  const rest = boundClaim('data', 'ReadWriteMany');
  const objects = [...rest, ...stored(), runningPod({ name: 'web-1-a', node: 'a1' })];
  const { story, withinSeconds } = only(failing({ nodes: ['a1', 'a2', 'a3', 'b1'], objects }, 'a1', 'a2', 'a3'));
  assert.equal(withinSeconds, 130);
  assert.deepEqual([story[2]?.from, story[2]?.to], [110, 130]);
});

test('nothing is evicted where no node is left', () => {
  assert.match(
    only(failing({ nodes: ['a1', 'a2'], silent: ['a2'], objects: WEB })).story[1]?.says ?? '',
    /no node would be Ready/,
  );
});

test('replicas that keep apart need a node that is free', () => {
  const affinity = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: HOST, labelSelector: { matchLabels: { app: 'web' } } },
      ],
    },
  };
  const objects = [
    ...boundClaim('data', 'ReadWriteMany'),
    ...stored({ replicas: 2, pod: { affinity } }),
    runningPod({ name: 'web-1-a', node: 'a1' }),
    runningPod({ name: 'web-1-b', node: 'a2' }),
  ];
  assert.equal(only(failing({ nodes: ['a1', 'a2', 'b1'], objects })).outcome, 'comes-up');
  assert.deepEqual(said(failing({ nodes: ['a1', 'a2'], objects })), [
    'Deployment web cannot: other pods keep it off every node that is left',
  ]);
});

test('what is on other nodes is not affected', () => {
  assert.deepEqual(said(failing({ objects: WEB }, 'b1')), []);
});
