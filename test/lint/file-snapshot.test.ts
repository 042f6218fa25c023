import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FileSnapshot, fileSnapshot, snapshotOf } from '../../src/lint/file-snapshot.ts';
import { parseManifests } from '../../src/yaml/read-manifests.ts';

test('every kind that facts are read from is found again', () => {
  const { snapshot, objects, unreadable } = snapshotFrom(`
apiVersion: v1
kind: List
items:
- { apiVersion: v1, kind: Node, metadata: { name: a } }
- { apiVersion: v1, kind: Namespace, metadata: { name: shop, labels: { rwo-guard.dev/mode: enforce } } }
- { apiVersion: v1, kind: PersistentVolume, metadata: { name: pv1 }, spec: { csi: { driver: ebs.csi.aws.com } } }
- { apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data, namespace: shop } }
- { apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: { name: gp3 }, provisioner: ebs.csi.aws.com }
- { apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: { name: ebs.csi.aws.com } }
- apiVersion: apps/v1
  kind: Deployment
  metadata: { name: web, namespace: shop }
  spec: { template: { spec: { volumes: [{ name: d, persistentVolumeClaim: { claimName: data } }] } } }
`);
  assert.deepEqual([objects, unreadable], [7, []]);
  const nodes = snapshot.nodes();
  assert.deepEqual(nodes.known && [...nodes.value.names()], ['a']);
  assert.equal(knownIn(snapshot.get('Namespace', '', 'shop'))?.labels.get('rwo-guard.dev/mode'), 'enforce');
  assert.equal(knownIn(snapshot.get('PersistentVolume', '', 'pv1'))?.source.type, 'csi');
  assert.equal(knownIn(snapshot.get('PersistentVolumeClaim', 'shop', 'data'))?.metadata.name, 'data');
  assert.equal(knownIn(snapshot.get('StorageClass', '', 'gp3'))?.provisioner, 'ebs.csi.aws.com');
  assert.equal(knownIn(snapshot.get('CSIDriver', '', 'ebs.csi.aws.com'))?.attachRequired, true);
  assert.deepEqual(
    snapshot.workloadsMounting('shop', 'data').workloads.map(({ metadata }) => metadata.name),
    ['web'],
  );
});

test('objects that name no namespace are in the one that kubectl would take', () => {
  const { snapshot } = snapshotFrom('apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: data }\n');
  assert.equal(knownIn(snapshot.get('PersistentVolumeClaim', 'default', 'data'))?.metadata.namespace, 'default');
});

test('objects of other kinds are passed over', () => {
  const { objects, unreadable } = snapshotFrom('apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\n');
  assert.deepEqual([objects, unreadable], [0, []]);
});

test('without a Node in the files the nodes are unknown, not none', () => {
  assert.deepEqual(snapshotFrom('').snapshot.nodes(), { known: false, because: 'there are no nodes in the files' });
});

test('a claim that is not in the files is known not to be there', () => {
  assert.deepEqual(snapshotFrom('').snapshot.get('PersistentVolumeClaim', 'shop', 'data'), {
    known: true,
    value: undefined,
  });
});

test('an object with a field of a wrong type is told with its line, and the others are used', () => {
  const { objects, unreadable } = snapshotFrom(
    'apiVersion: v1\nkind: Node\nmetadata: 3\n---\napiVersion: v1\nkind: Node\nmetadata: { name: a }\n',
  );
  assert.equal(objects, 1);
  assert.deepEqual(unreadable, [
    { file: 'state.yaml', line: 1, because: 'metadata must be an object, not 3: correct the manifest' },
  ]);
});

test('a path that is not there is an error', async () => {
  await assert.rejects(fileSnapshot('/nowhere'), { code: 'ENOENT' });
});

function snapshotFrom(text: string): FileSnapshot {
  return snapshotOf(parseManifests(text, 'state.yaml').manifests);
}

function knownIn<T>(fact: { readonly known: true; readonly value: T } | { readonly known: false }): T | undefined {
  return fact.known ? fact.value : undefined;
}
