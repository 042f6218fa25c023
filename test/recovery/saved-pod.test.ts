import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectAt } from '../../src/objects/json.ts';
import { savedPod } from '../../src/recovery/saved-pod.ts';
import { pod } from './scene.ts';

test('a pod is kept as its owner wrote it, without what others gave to it', () => {
  const kept = savedPod(pod('alone', { on: 'node-a', metadata: { annotations: { a: 'b' }, resourceVersion: '7' } }));
  assert.deepEqual(JSON.parse(JSON.stringify(kept)), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name: 'alone', labels: { app: 'web' }, annotations: { a: 'b' } },
    spec: {
      containers: [{ name: 'main', image: 'main:1' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
});

test('a node that its owner asked for by name is kept', () => {
  const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': { 'f:nodeName': {} } } }];
  const kept = savedPod(pod('alone', { on: 'node-a', metadata: { managedFields } }));
  assert.equal(objectAt(kept, 'spec')?.nodeName, 'node-a');
});
