import type { JsonObject } from '../../src/objects/json.ts';

/** How large a cluster is, for a measurement. */
export interface ClusterSize {
  readonly nodes: number;
  readonly claims: number;
}

/** The size that the budgets are for. */
export const USUAL: ClusterSize = { nodes: 100, claims: 10_000 };

/** The objects of a cluster: all claims in 200 namespaces are ReadWriteOnce on a class whose driver attaches. */
export function* clusterObjects({ nodes, claims }: ClusterSize): Iterable<JsonObject> {
  yield {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'disk' },
    provisioner: 'disk.example.com',
  };
  yield {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'disk.example.com' },
    spec: { attachRequired: true },
  };
  for (let n = 0; n < NAMESPACES; n++) yield { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `team-${n}` } };
  for (let n = 0; n < nodes; n++) {
    const labels = { 'kubernetes.io/hostname': `node-${n}`, 'topology.kubernetes.io/zone': `zone-${n % 3}` };
    yield { apiVersion: 'v1', kind: 'Node', metadata: { name: `node-${n}`, labels } };
  }
  for (let n = 0; n < claims; n++) yield claim(n);
}

const NAMESPACES = 200;

function claim(n: number): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: `team-${n % NAMESPACES}`, name: `data-${n}` },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'disk' },
  };
}

/** The AdmissionReview of a Deployment of about 6 KB that mounts the n-th claim, as JSON. */
export function reviewOf(n: number): string {
  return reviewWith(n, 'CREATE', deployment(n, '1.2.3'), null);
}

/** The review of an update of the same Deployment to another image. */
export function updateOf(n: number): string {
  return reviewWith(n, 'UPDATE', deployment(n, '1.2.4'), { ...deployment(n, '1.2.3'), status: { replicas: 1 } });
}

function deployment(n: number, version: string): JsonObject {
  const name = `web-${n}`;
  const namespace = `team-${n % NAMESPACES}`;
  const labels = { 'app.kubernetes.io/name': name };
  const env = Array.from({ length: 55 }, (_, index) => ({
    name: `SETTING_NUMBER_${index}`,
    value: `the value of setting number ${index}`,
  }));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace,
      labels,
      annotations: { 'example.com/owner': 'team', 'example.com/text': 'x'.repeat(400) },
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'web',
              image: `registry.example.com/team/web:${version}`,
              env,
              ports: [{ containerPort: 8080, protocol: 'TCP' }],
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
            },
          ],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${n}` } }],
        },
      },
    },
  };
}

function reviewWith(n: number, operation: string, object: JsonObject, oldObject: JsonObject | null): string {
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`,
      kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      name: `web-${n}`,
      namespace: `team-${n % NAMESPACES}`,
      operation,
      userInfo: { username: 'jane', groups: ['developers', 'system:authenticated'] },
      object,
      oldObject,
      dryRun: false,
    },
  });
}
