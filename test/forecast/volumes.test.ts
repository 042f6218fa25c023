import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import type { Claim } from '../../src/facts/claim.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { heldVolumes } from '../../src/forecast/volumes.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { disk, HOST, REQUIRED, ZONE } from './scene.ts';

function factsOf(claims: readonly string[], objects: readonly JsonObject[], pod: JsonObject = {}) {
  const state = new ClusterState();
  for (const object of objects) putObject(state, object);
  for (let n = 0; n < 12; n++) {
    const labels = { [HOST]: `n${n}`, [ZONE]: `z${n % 3}` };
    putObject(state, { apiVersion: 'v1', kind: 'Node', metadata: { name: `n${n}`, labels } });
  }
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const template = { metadata: { labels: { app: 'web' } }, spec: { ...pod, volumes } };
  const metadata = { namespace: 'shop', name: 'web' };
  const workload = workloadFrom('Deployment', { metadata, spec: { replicas: 1, template } });
  return gatherFacts(workload, state, storageMatrix(), new Budget()).facts;
}

test('volumes that the same pods hold are one, and others are not', () => {
  const { claims } = factsOf(['a', 'b', 'c'], [...disk('a'), ...disk('b'), ...disk('c', 'ReadWriteMany')]);
  const counts = (lists: readonly (readonly Claim[])[]) =>
    heldVolumes(lists, 'harmless').volumes.map(({ names }) => names);
  assert.deepEqual(counts([claims]), [['a', 'b'], ['c']]);
  assert.deepEqual(counts([claims, claims.slice(0, 1)]), [['a'], ['b'], ['c']]);
});

const CLASS = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'by-hand' } };
const BY_HAND = { ...CLASS, provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' };

/** Volumes that were made by hand, each where a label has one of some values, and claims for any of them. */
function pool(label: string, values: readonly (readonly string[])[], claims: readonly string[]): readonly JsonObject[] {
  const spec = { storageClassName: 'by-hand', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], local: {} };
  const volumes = values.map((some, n) => {
    const matchExpressions = [{ key: label, operator: 'In', values: some }];
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
    const metadata = { name: `volume-${n}` };
    return { apiVersion: 'v1', kind: 'PersistentVolume', metadata, spec: { ...spec, nodeAffinity } };
  });
  const all = claims.map((name) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'by-hand' },
  }));
  return [BY_HAND, ...volumes, ...all];
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`);

test('twenty local volumes of a pod hold it to a node at hardly more than the price of two', () => {
  const nodes = Array.from({ length: 12 }, (_, n) => [`n${n}`]);
  const [two, twenty] = [2, 20].map((count) => {
    const facts = factsOf(names(count), pool(HOST, nodes, names(count)));
    const before = facts.budget.spent;
    const { certain, overBudget } = forecast(facts);
    assert.deepEqual([certain.rollout.stuck, overBudget], [false, false]);
    return facts.budget.spent - before;
  });
  assert.ok((twenty ?? 0) < 2 * (two ?? 0), `${two} operations for two, ${twenty} for twenty`);
});

for (const [claims, isStuck] of [
  [1, false],
  [2, true],
] as const) {
  test(`${claims} of two volumes that have a zone in common ${isStuck ? 'hold' : 'do not hold'} pods to that`, () => {
    const zones = [
      ['z0', 'z1'],
      ['z1', 'z2'],
    ];
    const objects = pool(ZONE, zones, names(claims));
    const elsewhere = onNodes({ key: ZONE, operator: 'NotIn', values: ['z1'] });
    const facts = factsOf(names(claims), objects, elsewhere);
    const { certain } = forecast(facts, { before: factsOf(names(claims), objects) });
    assert.equal(certain.rollout.stuck, isStuck);
  });
}

function onNodes(expression: JsonObject): JsonObject {
  const nodeSelectorTerms = [{ matchExpressions: [expression] }];
  return { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms } } } };
}

test('a volume that label and affinity keep in a zone without nodes is out of reach', () => {
  const matchExpressions = [{ key: ZONE, operator: 'In', values: ['z9'] }];
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
  const inZone = disk('a').map((object) =>
    object.kind === 'PersistentVolume'
      ? {
          ...object,
          metadata: { name: 'a', labels: { [ZONE]: 'z9' } },
          spec: { ...(object.spec as object), nodeAffinity },
        }
      : object,
  );
  const { waits } = forecast(factsOf(['a'], inZone)).certain.steady;
  assert.deepEqual(
    waits.map(({ cause, claims }) => ({ cause, claims })),
    [{ cause: 'out-of-reach', claims: ['a'] }],
  );
});
