import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import { userOfOnePodClaim } from './one-pod-claims.ts';
import { Mirror } from './world.ts';

const pod = (name: string, claimName: string, nodeName?: string): V1Pod => ({
  metadata: { namespace: 'shop', name },
  spec: {
    containers: [],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    ...(nodeName && { nodeName }),
  },
});

const claims = new Mirror<V1PersistentVolumeClaim>();
for (const [name, accessMode] of [
  ['single', 'ReadWriteOncePod'],
  ['shared', 'ReadWriteOnce'],
] as const) {
  claims.changed({ metadata: { namespace: 'shop', name }, spec: { accessModes: [accessMode] } }, false);
}

for (const [says, claim, others, user] of [
  ['the pod that runs with it has it', 'single', [pod('web-0', 'single', 'node-a')], 'web-0'],
  ['a pod that waits as well does not have it', 'single', [pod('web-0', 'single')], undefined],
  ['a pod with another claim does not have it', 'single', [pod('web-0', 'shared', 'node-a')], undefined],
  ['a ReadWriteOnce claim is for more pods than one', 'shared', [pod('web-0', 'shared', 'node-a')], undefined],
] as const) {
  test(`of a claim for one pod, ${says}`, () => {
    const waiting = pod('web-1', claim);
    assert.equal(userOfOnePodClaim(waiting, [waiting, ...others], claims), user);
  });
}
