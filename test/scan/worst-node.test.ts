import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadsOf } from '../../src/scan/scan.ts';
import { worstNode } from '../../src/scan/worst-node.ts';
import { boundClaim, pod, scannedObjects, storage, stored } from './cluster.ts';

function worst(...objects: readonly JsonObject[]) {
  const { state, pods } = scannedObjects(...storage('data'), ...objects);
  return worstNode(workloadsOf(state), { snapshot: state, pods, matrix: storageMatrix() });
}

const STATEFUL = stored({
  kind: 'StatefulSet',
  name: 'db',
  claims: [],
  spec: { volumeClaimTemplates: [{ metadata: { name: 'own' } }] },
});

test('the node with the most workloads that wait for their volumes, or for their pods, is the worst', () => {
  const db = { owner: ['StatefulSet', 'db'], claims: ['own-db-0'] } as const;
  const objects = [
    ...stored(),
    pod({ name: 'web-1-a', node: 'node-1' }),
    ...STATEFUL,
    pod({ name: 'db-0', node: 'node-2', ...db }),
  ];
  assert.deepEqual(worst(...objects), { node: 'node-1', hanging: 1 });
  assert.deepEqual(worst(...objects, pod({ name: 'web-1-b', node: 'node-2' })), { node: 'node-2', hanging: 2 });
});

test('a workload counts once for a node, and not for a pod that goes or has no node', () => {
  const objects = [
    ...stored(),
    pod({ name: 'web-1-a', node: 'node-1' }),
    pod({ name: 'web-1-b', node: 'node-1' }),
    pod({ name: 'web-1-c', node: 'node-2', phase: 'terminating' }),
    pod({ name: 'web-1-d', phase: 'pending' }),
  ];
  assert.deepEqual(worst(...objects), { node: 'node-1', hanging: 1 });
});

test('a volume for many nodes, a pod of a DaemonSet, and a claim that nobody knows hang nothing', () => {
  const shared = { claims: ['many'] };
  assert.equal(
    worst(
      ...boundClaim('many', 'ReadWriteMany'),
      ...stored(shared),
      pod({ name: 'web-1-a', node: 'node-1', ...shared }),
      ...stored({ kind: 'DaemonSet', name: 'agent' }),
      pod({ name: 'agent-a', node: 'node-1', owner: ['DaemonSet', 'agent'] }),
      ...stored({ name: 'new', claims: ['missing'] }),
      pod({ name: 'new-1-a', node: 'node-1', owner: ['ReplicaSet', 'new-1'], claims: ['missing'] }),
    ),
    undefined,
  );
});
