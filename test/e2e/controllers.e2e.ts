import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { claim, deployment, keyOf, merge, rollOut, workload } from './admission-requests.ts';
import { installRecorded, type RecordedInstallation } from './installation.ts';

interface Claim extends KubernetesObject {
  readonly status?: { readonly phase?: string };
}

const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };

let installation: RecordedInstallation;

before(async () => {
  installation = await installRecorded({ controllerManager: true });
});

after(() => installation.stop());

test('what the controllers do about a person’s objects reaches no entry', async () => {
  const { cluster, recorder } = installation;
  const jane = cluster.apiAs({ user: 'jane', groups: ['system:masters'] });

  const web = await jane.create(deployment('mutate-enforce'));
  await until('the Deployment has its first revision', async () => {
    const { metadata } = await jane.get(keyOf(web));
    return metadata?.annotations?.['deployment.kubernetes.io/revision'] === '1';
  });
  await rollOut(jane, web);
  await jane.create(statefulSet('enforce'));
  await until('the StatefulSet has its claim', () => jane.find({ ...CLAIM, namespace: 'enforce', name: 'data-db-0' }));
  const data = await jane.create(claim('enforce', { name: 'data' }));
  await jane.create(volumeFor(data));
  await until('the claim is bound', async () => (await jane.get<Claim>(keyOf(data))).status?.phase === 'Bound');
  await jane.request('DELETE', `/apis/apps/v1/namespaces/mutate-enforce/deployments/${web.metadata?.name}`, {
    propagationPolicy: 'Foreground',
  });
  await until(
    'the Deployment is gone',
    async () => (await jane.list(DEPLOYMENT, { namespace: 'mutate-enforce' })).length === 0,
  );
  await jane.close();

  const arrived = recorder.take();
  assert.deepEqual([...new Set(arrived.map(({ user }) => user))], ['jane']);
  assert.deepEqual(arrived.map(({ operation, resource }) => `${operation} ${resource}`).sort(), [
    'CREATE deployments',
    'CREATE deployments',
    'CREATE persistentvolumeclaims',
    'CREATE statefulsets',
    'UPDATE deployments',
    'UPDATE deployments',
  ]);
});

test('what the controllers make of a person’s workloads reaches no entry, whatever their kind', async () => {
  const { cluster, recorder } = installation;
  const jane = cluster.apiAs({ user: 'jane', groups: ['system:masters'] });
  recorder.take();

  for (const kind of ['StatefulSet', 'ReplicaSet', 'Job'] as const) {
    const { metadata } = await jane.create(workload(kind, 'enforce'));
    const labelSelector = `app=${metadata?.name}`;
    await until(`the ${kind} has its pod`, async () => {
      const pods = await jane.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'enforce', labelSelector });
      return pods.length > 0;
    });
  }
  const nightly = await jane.create(workload('CronJob', 'enforce'));
  await merge({ status: { lastScheduleTime: '2026-01-01T00:00:00Z' } }, 'status')(jane, nightly);
  await until('the CronJob has started the run that it missed', async () => {
    const jobs = await jane.list({ apiVersion: 'batch/v1', kind: 'Job' }, { namespace: 'enforce' });
    return jobs.some(({ metadata }) => metadata?.name?.startsWith(`${nightly.metadata?.name}-`));
  });
  await jane.close();

  const arrived = recorder.take();
  assert.deepEqual([...new Set(arrived.map(({ user }) => user))], ['jane']);
  assert.deepEqual(
    arrived.map(({ operation, resource }) => `${operation} ${resource}`),
    ['CREATE statefulsets', 'CREATE replicasets', 'CREATE jobs', 'CREATE cronjobs'],
  );
});

function statefulSet(namespace: string): KubernetesObject {
  const labels = { app: 'db' };
  const { metadata: _, ...template } = { ...claim(namespace), metadata: undefined };
  const object = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace, name: 'db' },
    spec: {
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'db', image: 'db:1' }] } },
      volumeClaimTemplates: [{ ...template, metadata: { name: 'data' } }],
      // Makes the controller own the claims, which is one more write.
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    },
  };
  return object;
}

/** Kept for this claim, so that the binder writes into both. */
function volumeFor({ metadata }: KubernetesObject): KubernetesObject {
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv-1' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: metadata?.namespace,
        name: metadata?.name,
      },
      csi: { driver: 'disk.example.com', volumeHandle: 'disk-1' },
    },
  };
  return object;
}
