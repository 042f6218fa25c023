import assert from 'node:assert/strict';
import { test } from 'node:test';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { unknown } from '../../src/objects/fact.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

const spec = {
  template: { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] } },
};

/** A Deployment with the ReplicaSet that runs its pods, by the uid that this one names. */
function put(state: ClusterState, index: number, uid = `${index}`): void {
  const name = `web-${index}`;
  putObject(state, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'shop', name, uid: `${index}` },
    spec,
  });
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }];
  const metadata = { namespace: 'shop', name: `${name}-abc`, uid: `${index}-abc`, ownerReferences };
  putObject(state, { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec });
}

test('as many Deployments as may be looked at are known, though each has a ReplicaSet', () => {
  const state = new ClusterState();
  for (let index = 0; index < 1_000; index++) put(state, index);
  for (const where of [['shop'], 'all'] as const) {
    const found = state.workloadsIn(where);
    assert.equal(found.known && found.value.length, 1_000);
  }
});

test('ReplicaSets of owners that are made up are workloads of their own', () => {
  const state = new ClusterState();
  for (let index = 0; index < 400; index++) put(state, index, 'made-up');
  assert.equal(state.workloadsMounting('shop', 'data').workloads.length, 800);
  for (let index = 400; index < 501; index++) put(state, index, 'made-up');
  assert.equal(state.workloadsIn(['shop']).known, false);
});

test('while Deployments cannot be listed, their ReplicaSets are no users beside them', () => {
  const state = new ClusterState((list) =>
    list === 'deployments' ? unknown('no right') : { known: true, value: true },
  );
  put(state, 1);
  assert.deepEqual(state.workloadsMounting('shop', 'data'), { workloads: [], unknown: ['no right'] });
});
