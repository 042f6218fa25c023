import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimUse } from '../../src/recovery/assemble.ts';
import { whoUsesJson } from '../../src/recovery/who-uses-json.ts';
import { whoUsesText } from '../../src/recovery/who-uses-text.ts';
import {
  attachment,
  before,
  claim,
  custom,
  inventoryOf,
  NOW,
  nfs,
  node,
  pod,
  rollout,
  useIn,
  volume,
  workload,
} from './scene.ts';

test('who uses a claim is told from the claim down to the owners of its pods', () => {
  assert.equal(
    whoUsesText(useIn(rollout({ labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' } }))),
    `claim shop/data: Bound; ReadWriteOnce
volume pv-data: disk.example.com; disk-data; ReadWriteOnce; attached to nodes, by one node at a time; Delete
attachment to node-a: attached; csi-data-node-a
node node-a: Ready since 60 min ago; boot boot-of-node-a
node node-b: Ready since 60 min ago; boot boot-of-node-b
pod shop/web-old-1: on node-a; Running
  of ReplicaSet shop/web-old
  of Deployment shop/web
pod shop/web-new-1: on node-b; Pending; no container has started
  of ReplicaSet shop/web-new
  of Deployment shop/web
Deployment shop/web: 1 replica
  applied by Flux Kustomization shop
`,
  );
});

test('a node that has fallen silent, and a pod that waits on it to end, are told with their times', () => {
  const text = whoUsesText(
    useIn([
      ...[
        claim(),
        volume(),
        attachment('node-a', {
          deletionTimestamp: before(60),
          status: { attached: true, detachError: { message: 'timed out' } },
        }),
      ],
      node('node-a', {
        ready: 'Unknown',
        since: 600,
        taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }],
      }),
      pod('db-0', { on: 'node-a', overdue: 270, metadata: { finalizers: ['example.com/backup'] } }),
    ]),
  );
  assert.match(text, /node node-a: silent \(Ready is Unknown\) since 10 min ago; out of service; boot/);
  assert.match(
    text,
    /pod shop\/db-0: on node-a; Running; Terminating since 5 min ago \(grace 30 s\); held by example.com\/backup/,
  );
  assert.match(text, /of nobody: when it is deleted, it does not come back/);
  assert.match(text, /attachment to node-a: attached; being taken off; held by external-attacher\/disk-example-com/);
  assert.match(text, /detaching failed: timed out/);
});

test('pods and attachments of other claims on the same disk belong to it', () => {
  const other = volume('copy', { csi: { driver: 'disk.example.com', volumeHandle: 'disk-data' } });
  const text = whoUsesText(
    useIn([
      claim(),
      volume(),
      other,
      attachment('node-a', { name: 'copy' }),
      pod('reader', { on: 'node-a', claim: 'copy' }),
    ]),
  );
  assert.match(text, /same disk as claim shop\/copy/);
  assert.match(text, /attachment to node-a/);
  assert.match(text, /pod shop\/reader/);
});

for (const { name, more, says } of [
  {
    name: 'an autoscaler',
    more: [autoscaler('web', {})],
    says: /scaled by HorizontalPodAutoscaler web \(2 to 5\), which rests at 0 replicas/,
  },
  {
    name: 'an autoscaler that starts from nothing',
    more: [autoscaler('web', { minReplicas: 0 })],
    says: /web \(0 to 5\), which may scale up from 0/,
  },
  {
    name: "KEDA's autoscaler",
    more: [
      autoscaler(
        'web',
        {},
        { kind: 'ScaledObject', apiVersion: 'keda.sh/v1alpha1', metadata: { name: 'queue', uid: 'u' } },
      ),
    ],
    says: /which KEDA's queue wakes up from 0/,
  },
]) {
  test(`${name} is told with what it does at no replicas`, () => {
    assert.match(whoUsesText(useIn([...rollout(), ...more])), says);
  });
}

for (const { name, metadata, says } of [
  {
    name: 'Argo CD',
    metadata: { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/web' } },
    says: /applied by Argo CD shop/,
  },
  {
    name: 'a Flux HelmRelease',
    metadata: { labels: { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'flux' } },
    says: /applied by Flux HelmRelease flux\/web/,
  },
  {
    name: 'Helm',
    metadata: {
      labels: { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/instance': 'web' },
      annotations: { 'meta.helm.sh/release-name': 'web' },
    },
    says: /replica\n {2}applied by Helm web\n/,
  },
  {
    name: 'a label that charts write too',
    metadata: { labels: { 'app.kubernetes.io/instance': 'web' } },
    says: /maybe applied by Argo CD web/,
  },
]) {
  test(`${name} is told by what it writes into the object`, () => {
    assert.match(whoUsesText(useIn(rollout(metadata))), says);
  });
}

test('an operator is told as the one who decides on replicas', () => {
  const db = custom('Database', 'main');
  const inventory = inventoryOf([claim(), volume(), workload('StatefulSet', 'db', { of: db })]);
  assert.match(
    whoUsesText(claimUse(inventory, { namespace: 'shop', name: 'data' }, NOW)),
    /StatefulSet shop\/db: 1 replica\n {2}of Database shop\/main \(not read\)\n {2}made by Database shop\/main: its operator decides/,
  );
});

test('what could not be read is unknown, and told', () => {
  const inventory = inventoryOf([claim()]);
  inventory.refuse('persistentvolumes', '', 'permission missing');
  inventory.refuse('volumeattachments', '', 'permission missing');
  const use = claimUse(inventory, { namespace: 'shop', name: 'data' }, NOW);
  const text = whoUsesText(use);
  assert.match(text, /^volume: \?$/m);
  assert.match(text, /^attachments: \?$/m);
  assert.match(text, /not seen: persistentvolumes could not be read: permission missing/);
  assert.equal((whoUsesJson(use) as { volume: unknown }).volume, null);
});

test('a volume that is mounted without being attached has no attachments to tell of', () => {
  const text = whoUsesText(useIn([claim(), nfs(), pod('a', { on: 'node-a' })]));
  assert.match(text, /nfs; ReadWriteMany; mounted without being attached, by several nodes at once/);
  assert.doesNotMatch(text, /attachments/);
});

function autoscaler(name: string, spec: object, of?: object): Record<string, unknown> {
  const { kind, apiVersion, metadata } = (of ?? {}) as { kind?: string; apiVersion?: string; metadata?: object };
  const ownerReferences = of === undefined ? [] : [{ kind, apiVersion, ...metadata, controller: true }];
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name, ownerReferences },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 2, maxReplicas: 5, ...spec },
  };
}
