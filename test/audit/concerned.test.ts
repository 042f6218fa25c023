import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '../../src/audit/changes.ts';
import { concernedBy } from '../../src/audit/concerned.ts';
import { standingIn } from '../../src/audit/standing-objects.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { claim } from '../admission/scene.ts';
import { deployment } from './audited.ts';

/** Whom a change of this object concerns, by name. */
function concerned(
  kind: Change['kind'],
  key: string | undefined,
  given: readonly JsonObject[],
  mounted: readonly string[] = [],
) {
  const state = new ClusterState();
  for (const object of given) putObject(state, object);
  const around = { snapshot: state, standing: standingIn(state.tables), mounted: () => mounted };
  const found = concernedBy({ kind, key, since: 0 }, around);
  return typeof found === 'string'
    ? found
    : [...new Set(found.map((ref) => `${ref.kind} ${ref.namespace}/${ref.name}`))];
}

const web = deployment('web');
const other = { ...deployment('web'), metadata: { namespace: 'shop', name: 'other' } };
const WEB = 'Deployment shop/web';
const OTHER = 'Deployment shop/other';

test('a workload concerns itself, and those that share its claims', () => {
  assert.deepEqual(concerned('Deployment', 'shop/web', [web, other, deployment('db')]), [WEB, OTHER]);
});

test('a workload that is gone, or mounts other claims now, concerns those that shared its claims', () => {
  assert.deepEqual(concerned('Deployment', 'shop/web', [other], ['web']), [WEB, OTHER]);
  assert.deepEqual(concerned('Deployment', 'shop/db', [deployment('db'), other], ['web']), [
    'Deployment shop/db',
    OTHER,
  ]);
});

test('a claim concerns itself and its users, also where it is gone', () => {
  for (const given of [[claim('web'), web], [web]]) {
    assert.deepEqual(concerned('PersistentVolumeClaim', 'shop/web', given), ['PersistentVolumeClaim shop/web', WEB]);
  }
});

test('a claim of a pod of a StatefulSet concerns that one', () => {
  const db = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace: 'shop', name: 'db' },
    spec: { replicas: 2, volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
  };
  const found = concerned('PersistentVolumeClaim', 'shop/data-db-1', [db]);
  assert.deepEqual(found, ['PersistentVolumeClaim shop/data-db-1', 'StatefulSet shop/db']);
});

test('a volume concerns the users of every claim of the same disk, and one of nobody yet all workloads', () => {
  const volume = (name: string, claimName: string | undefined) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'disk.example.com', volumeHandle: 'disk-1' },
      ...(claimName !== undefined && { claimRef: { namespace: 'shop', name: claimName } }),
    },
  });
  const given = [volume('one', 'web'), volume('two', 'db'), web, deployment('db'), deployment('else')];
  assert.deepEqual(concerned('PersistentVolume', 'one', given), [WEB, 'Deployment shop/db']);
  assert.equal(concerned('PersistentVolume', 'three', [volume('three', undefined)]), 'all workloads');
  assert.deepEqual(concerned('PersistentVolume', 'gone', given), []);
});

test('an autoscaler concerns its target; one that is gone, the workloads of its namespace', () => {
  const autoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name: 'up' },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
  };
  assert.deepEqual(concerned('HorizontalPodAutoscaler', 'shop/up', [autoscaler, web, other]), [WEB]);
  assert.deepEqual(concerned('HorizontalPodAutoscaler', 'shop/up', [web, other]), [WEB, OTHER]);
});

test('a namespace concerns the workloads and claims in it', () => {
  const elsewhere = claim('web', {}, { namespace: 'shop-2' });
  assert.deepEqual(concerned('Namespace', 'shop', [web, claim('web'), elsewhere]), [
    WEB,
    'PersistentVolumeClaim shop/web',
  ]);
});

test('nodes concern all workloads, drivers and classes everything, and so does what nobody remembers', () => {
  assert.equal(concerned('Node', 'a', []), 'all workloads');
  assert.equal(concerned('Node', undefined, []), 'all workloads');
  for (const kind of ['StorageClass', 'CSIDriver'] as const) assert.equal(concerned(kind, 'disk', []), 'everything');
  for (const kind of ['Deployment', 'PersistentVolumeClaim', 'PersistentVolume'] as const)
    assert.equal(concerned(kind, undefined, []), 'everything');
});
