import type { JsonObject } from '../../src/objects/json.ts';

/** Each list of a large cluster by its path: how many objects it has, and the n-th of them as an API server writes it. */
export const LARGE_CLUSTER: ReadonlyMap<string, LargeList> = new Map<string, LargeList>([
  ['/api/v1/nodes', { count: 5_000, object: node }],
  ['/api/v1/persistentvolumeclaims', { count: 100_000, object: claim }],
  ['/api/v1/persistentvolumes', { count: 100_000, object: volume }],
  ['/api/v1/pods', { count: 100_000, object: pod }],
  ['/apis/storage.k8s.io/v1/volumeattachments', { count: 100_000, object: attachment }],
  ['/apis/apps/v1/deployments', { count: 2_000, object: deployment }],
  ['/apis/apps/v1/replicasets', { count: 6_000, object: replicaSet }],
  ['/apis/apps/v1/statefulsets', { count: 1_960, object: statefulSet }],
  ['/apis/apps/v1/daemonsets', { count: 40, object: daemonSet }],
  ['/apis/batch/v1/cronjobs', { count: 1_000, object: cronJob }],
  ['/apis/batch/v1/jobs', { count: 0, object: cronJob }],
  ['/api/v1/namespaces', { count: 200, object: namespace }],
  ['/apis/storage.k8s.io/v1/storageclasses', { count: 1, object: storageClass }],
  ['/apis/storage.k8s.io/v1/csidrivers', { count: 1, object: driver }],
  ['/apis/node.k8s.io/v1/runtimeclasses', { count: 0, object: driver }],
  ['/apis/autoscaling/v1/horizontalpodautoscalers', { count: 0, object: driver }],
]);

export interface LargeList {
  readonly count: number;
  readonly object: (n: number) => JsonObject;
}

/** Every second Deployment has the default strategy, and nothing else is wrong with anything. */
export const FINDINGS = 1_000;

/** The first claims belong to a Deployment each, the next to a CronJob each, and of the others 50 to each StatefulSet but the last. */
const OF_DEPLOYMENTS = 2_000;
const OF_CRON_JOBS = 1_000;
const REPLICAS = 50;

const NAMESPACES = 200;

/** What an API server writes down of who changed which field, at the length that is usual. */
const MANAGED = [
  { manager: 'kube-controller-manager', operation: 'Update', fieldsV1: { 'f:spec': { text: 'x'.repeat(600) } } },
];

function metadata(namespace: number | undefined, name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    ...(namespace !== undefined && { namespace: `team-${namespace % NAMESPACES}` }),
    uid: `uid-of-${name}`,
    resourceVersion: '123456789',
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: MANAGED,
    ...more,
  };
}

/** To what the n-th claim belongs: which workload of its kind, and the claim's name. */
function ownerOf(n: number): {
  readonly kind: 'Deployment' | 'CronJob' | 'StatefulSet';
  readonly nth: number;
  readonly claim: string;
} {
  if (n < OF_DEPLOYMENTS) return { kind: 'Deployment', nth: n, claim: `data-${n}` };
  const past = n - OF_DEPLOYMENTS;
  if (past < OF_CRON_JOBS) return { kind: 'CronJob', nth: past, claim: `run-${past}` };
  const own = past - OF_CRON_JOBS;
  const nth = Math.floor(own / REPLICAS);
  return { kind: 'StatefulSet', nth, claim: `data-db-${nth}-${own % REPLICAS}` };
}

function claim(n: number): JsonObject {
  const { nth, claim: name } = ownerOf(n);
  return {
    metadata: metadata(nth, name, {
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'volume.kubernetes.io/selected-node': nodeOf(n) },
    }),
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'disk',
      volumeMode: 'Filesystem',
      volumeName: `pvc-${n}`,
      resources: { requests: { storage: '10Gi' } },
    },
    status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } },
  };
}

function volume(n: number): JsonObject {
  const { nth, claim: name } = ownerOf(n);
  return {
    metadata: metadata(undefined, `pvc-${n}`, {
      annotations: { 'pv.kubernetes.io/provisioned-by': 'disk.example.com' },
    }),
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '10Gi' },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: `team-${nth % NAMESPACES}`, name, uid: `uid-of-${name}` },
      csi: {
        driver: 'disk.example.com',
        fsType: 'ext4',
        volumeHandle: `vol-0123456789abcdef${n}`,
        volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': '1700000000000-8081-disk.example.com' },
      },
      storageClassName: 'disk',
      volumeMode: 'Filesystem',
    },
    status: { phase: 'Bound' },
  };
}

function attachment(n: number): JsonObject {
  const source = { persistentVolumeName: `pvc-${n}` };
  const name = `csi-${n.toString(16).padStart(64, '0')}`;
  return {
    metadata: metadata(undefined, name),
    spec: { attacher: 'disk.example.com', nodeName: nodeOf(n), source },
    status: { attached: true },
  };
}

function nodeOf(n: number): string {
  return `node-${n % 5_000}`;
}

function node(n: number): JsonObject {
  const labels = { 'kubernetes.io/hostname': `node-${n}`, 'topology.kubernetes.io/zone': `zone-${n % 3}` };
  const images = Array.from({ length: 40 }, (_, image) => ({
    names: [`registry.example.com/images/image-${image}@sha256:${'0'.repeat(64)}`],
    sizeBytes: 1,
  }));
  return {
    metadata: metadata(undefined, `node-${n}`, { labels }),
    spec: { providerID: `cloud://node-${n}` },
    status: { images, allocatable: { cpu: '16', memory: '64Gi', pods: '110' } },
  };
}

function template(app: string, claimName: string | undefined): JsonObject {
  const env = Array.from({ length: 25 }, (_, index) => ({
    name: `SETTING_NUMBER_${index}`,
    value: `the value of setting number ${index}`,
  }));
  const volumes = claimName === undefined ? [] : [{ name: 'data', persistentVolumeClaim: { claimName } }];
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  const resources = { requests: { cpu: '100m', memory: '128Mi' } };
  const containers = [{ name: 'app', image: `registry.example.com/${app}:1`, env, resources, volumeMounts }];
  return {
    metadata: { labels: { app } },
    spec: { containers, volumes, restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' },
  };
}

function deployment(n: number): JsonObject {
  const app = `web-${n}`;
  const strategy = n % 2 === 0 ? { type: 'RollingUpdate' } : { type: 'Recreate' };
  const spec = { replicas: 1, strategy, selector: { matchLabels: { app } }, template: template(app, `data-${n}`) };
  return { metadata: metadata(n, app), spec, status: { replicas: 1 } };
}

/** Of each Deployment the one that runs its pod, and two old ones. */
function replicaSet(n: number): JsonObject {
  const nth = Math.floor(n / 3);
  const app = `web-${nth}`;
  const controller = { apiVersion: 'apps/v1', kind: 'Deployment', name: app, uid: `uid-of-${app}`, controller: true };
  const spec = {
    replicas: n % 3 === 0 ? 1 : 0,
    selector: { matchLabels: { app } },
    template: template(app, `data-${nth}`),
  };
  return { metadata: metadata(nth, `${app}-${n % 3}`, { ownerReferences: [controller] }), spec };
}

function statefulSet(n: number): JsonObject {
  const app = `db-${n}`;
  const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }];
  const replicas = n < 1_940 ? REPLICAS : 0;
  return {
    metadata: metadata(n, app),
    spec: { replicas, selector: { matchLabels: { app } }, volumeClaimTemplates, template: template(app, undefined) },
  };
}

function daemonSet(n: number): JsonObject {
  const app = `agent-${n}`;
  return {
    metadata: metadata(n, app),
    spec: { selector: { matchLabels: { app } }, template: template(app, undefined) },
  };
}

function cronJob(n: number): JsonObject {
  const spec = {
    schedule: '0 0 * * *',
    concurrencyPolicy: 'Forbid',
    jobTemplate: { spec: { template: template(`run-${n}`, `run-${n}`) } },
  };
  return { metadata: metadata(n, `run-${n}`), spec };
}

function pod(n: number): JsonObject {
  const { kind, nth, claim: claimName } = ownerOf(n);
  const [maker, app] =
    kind === 'StatefulSet' ? (['StatefulSet', `db-${nth}`] as const) : (['ReplicaSet', `web-${nth}-0`] as const);
  const name =
    kind === 'StatefulSet' ? claimName.slice('data-'.length) : `${kind === 'Deployment' ? app : `bare-${nth}`}-abcde`;
  const owner = { apiVersion: 'apps/v1', kind: maker, name: app, uid: `uid-of-${app}`, controller: true };
  const { spec } = template(app, claimName);
  const ownerReferences = kind === 'CronJob' ? [] : [owner];
  return {
    metadata: metadata(nth, name, { labels: { app }, ownerReferences }),
    spec: { ...(spec as JsonObject), nodeName: nodeOf(n) },
    status: {
      phase: 'Running',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      containerStatuses: [
        { name: 'app', state: { running: { startedAt: '2026-01-01T00:00:01Z' } }, imageID: `sha256:${'0'.repeat(64)}` },
      ],
    },
  };
}

function namespace(n: number): JsonObject {
  return { metadata: metadata(undefined, `team-${n}`, { labels: { team: `team-${n % 20}` } }) };
}

function storageClass(): JsonObject {
  return { metadata: metadata(undefined, 'disk'), provisioner: 'disk.example.com' };
}

function driver(): JsonObject {
  return { metadata: metadata(undefined, 'disk.example.com'), spec: { attachRequired: true } };
}
