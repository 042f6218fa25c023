import assert from 'node:assert/strict';
import { test } from 'node:test';
import { known, unknown } from '../../src/objects/fact.ts';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { namespaceFrom } from '../../src/objects/namespace.ts';
import { volumeFrom } from '../../src/objects/persistent-volume.ts';
import { claimFrom } from '../../src/objects/persistent-volume-claim.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { csiDriverFrom, storageClassFrom } from '../../src/objects/storage-class.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { overlaid } from '../../src/snapshot/layered-snapshot.ts';
import type { ClusterSnapshot, LookedUp } from '../../src/snapshot/snapshot.ts';

const namespaced = { metadata: { namespace: 'shop', name: 'a' } };
const named = { metadata: { name: 'a' } };

/** One object of every kind that can be looked up, and how it is asked for. */
function lookedUp(): readonly { object: LookedUp; ask: (snapshot: ClusterSnapshot, name: string) => unknown }[] {
  const at = { namespace: '', name: 'a' };
  return [
    {
      object: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'a', found: known(claimFrom(namespaced)) },
      ask: (snapshot, name) => snapshot.get('PersistentVolumeClaim', 'shop', name),
    },
    {
      object: { kind: 'PersistentVolume', ...at, found: known(volumeFrom(named)) },
      ask: (snapshot, name) => snapshot.get('PersistentVolume', '', name),
    },
    {
      object: { kind: 'StorageClass', ...at, found: known(storageClassFrom(named)) },
      ask: (snapshot, name) => snapshot.get('StorageClass', '', name),
    },
    {
      object: { kind: 'CSIDriver', ...at, found: known(csiDriverFrom(named)) },
      ask: (snapshot, name) => snapshot.get('CSIDriver', '', name),
    },
    {
      object: { kind: 'Namespace', ...at, found: known(namespaceFrom(named)) },
      ask: (snapshot, name) => snapshot.get('Namespace', '', name),
    },
    ...WORKLOAD_KINDS.map((kind) => ({
      object: { kind, namespace: 'shop', name: 'a', found: known(workloadFrom(kind, namespaced)) },
      ask: (snapshot: ClusterSnapshot, name: string) => snapshot.get(kind, 'shop', name),
    })),
  ];
}

test('what was looked up is known, each kind by itself', () => {
  for (const { object, ask } of lookedUp()) {
    const others = lookedUp().filter((other) => other.object.kind !== object.kind);
    assert.equal(ask(overlaid(new ClusterState(), [object]), 'a'), object.found, object.kind);
    const besides = overlaid(
      new ClusterState(),
      others.map((other) => other.object),
    );
    assert.deepEqual(ask(besides, 'a'), known(undefined), object.kind);
  }
});

test('what was not looked up is as the cluster says', () => {
  const base = new ClusterState(() => unknown('nothing is listed yet'));
  for (const { object, ask } of lookedUp()) {
    assert.deepEqual(ask(overlaid(base, [object]), 'b'), unknown('nothing is listed yet'), object.kind);
  }
});

test('what cannot be looked up by name is as the cluster says', () => {
  const reasons = (snapshot: ClusterSnapshot) =>
    [
      snapshot.defaultStorageClass(),
      snapshot.nodes(),
      snapshot.autoscalersOf('Deployment', 'shop', 'a'),
      snapshot.volumesOnDisk('a'),
      snapshot.volumesKeptFor('shop', 'a'),
      snapshot.freeVolumes('a'),
      snapshot.workloadsIn(['shop']),
      snapshot.workloadsAvoiding('shop', new Map()),
      snapshot.workloadsOnPort(80),
      snapshot.workloadsWithDisk('a'),
    ].map((fact) => (fact.known ? 'known' : fact.because));
  const base = new ClusterState((list) => unknown(list));
  const lists = ['storageclasses', 'nodes', 'horizontalpodautoscalers'];
  const expected = [...lists, ...Array(3).fill('persistentvolumes'), ...Array(4).fill('deployments')];
  assert.deepEqual(reasons(overlaid(base, [])), expected);
  assert.deepEqual(overlaid(base, []).workloadsMounting('shop', 'a'), base.workloadsMounting('shop', 'a'));
});
