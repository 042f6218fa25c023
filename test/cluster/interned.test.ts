import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Interned } from '../../src/cluster/interned.ts';
import { volumeFrom } from '../../src/objects/persistent-volume.ts';
import { claimFrom } from '../../src/objects/persistent-volume-claim.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';

const claim = (name: string, more: object = {}) =>
  claimFrom({
    metadata: { namespace: 'shop', name, annotations: { 'rwo-guard.dev/ignore': 'claim-shared: on purpose' } },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', volumeName: `pv-${name}`, ...more },
  });

const volume = (name: string, zone: string) =>
  volumeFrom({
    metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: name },
      claimRef: { namespace: 'shop', name },
    },
  });

const workload = (name: string, nodeSelector: object) =>
  workloadFrom('Deployment', {
    metadata: { namespace: 'shop', name },
    spec: {
      replicas: 2,
      template: {
        metadata: { labels: { app: name } },
        spec: { nodeSelector, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }] },
      },
    },
  });

test('what is kept once is what it was', () => {
  const once = new Interned();
  for (const each of [claim('a'), claim('b'), claim('c', { accessModes: ['ReadWriteMany'] })]) {
    assert.deepEqual(once.claim(each), each);
  }
  for (const each of [volume('a', 'one'), volume('b', 'one'), volume('c', 'two'), volumeFrom({ spec: { nfs: {} } })]) {
    assert.deepEqual(once.volume(each), each);
  }
  for (const each of [workload('a', {}), workload('b', {}), workload('c', { pool: 'fast' })]) {
    assert.deepEqual(once.workload(each), each);
  }
});

test('free volumes of the same zone keep labels and sizes of their own', () => {
  const once = new Interned();
  const free = (name: string) =>
    volumeFrom({ metadata: { name, labels: { content: name } }, spec: { nfs: {}, capacity: { storage: '1Gi' } } });
  for (const each of [free('a'), free('b')]) assert.deepEqual(once.volume(each), each);
});

test('what two objects have in common is one object', () => {
  const once = new Interned();
  assert.equal(once.claim(claim('a')).accessModes, once.claim(claim('b')).accessModes);
  assert.equal(once.claim(claim('a')).metadata.annotations, once.claim(claim('b')).metadata.annotations);
  assert.equal(once.volume(volume('a', 'one')).zones, once.volume(volume('b', 'one')).zones);
  const [a, b] = [once.workload(workload('a', {})), once.workload(workload('b', {}))];
  assert.equal(a.template.tolerations, b.template.tolerations);
});

test('zones and annotations that differ stay apart', () => {
  const once = new Interned();
  once.volume(volume('a', 'one'));
  assert.deepEqual(once.volume(volume('b', 'two')).zones, volume('b', 'two').zones);
  once.claim(claim('a'));
  const other = claimFrom({ metadata: { namespace: 'shop', name: 'b' } });
  assert.deepEqual(once.claim(other).metadata, other.metadata);
});
