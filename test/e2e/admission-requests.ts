import type { WorkloadKind } from '../../src/objects/kinds.ts';
import type { Identity } from '../control-plane/certificate-authority.ts';
import type { KubernetesApi, KubernetesObject, ObjectKey } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';

export type Entry = 'enforce' | 'advise' | 'mutate';

/** One request to the API server, and the entries that it has to reach. */
export interface AdmissionRequest {
  readonly name: string;
  readonly reaches: readonly Entry[];
  /** Created before anything counts. */
  readonly given?: KubernetesObject;
  /** Who sends it, if not an ordinary person. */
  readonly as?: Identity;
  /** `stored` is what became of `given`. */
  readonly send: (api: KubernetesApi, stored: KubernetesObject) => Promise<unknown>;
}

/** The namespaces that the requests are made in, by name, with their labels. */
export const NAMESPACES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  unset: {},
  enforce: { mode: 'enforce' },
  warn: { mode: 'warn' },
  audit: { mode: 'audit' },
  off: { mode: 'off' },
  nonsense: { mode: 'nonsense' },
  mutate: { mutate: 'auto' },
  'mutate-enforce': { mutate: 'recreate', mode: 'enforce' },
  'mutate-off': { mutate: 'auto', mode: 'off' },
};

const CLAIM_VOLUME = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };

let made = 0;

export interface WorkloadOptions {
  readonly volumes?: readonly object[] | null;
  readonly replicas?: number;
  readonly metadata?: object;
  readonly env?: readonly object[];
}

export function deployment(namespace: string, options: WorkloadOptions = {}): KubernetesObject {
  return workload('Deployment', namespace, options);
}

/** A workload that mounts a claim, unless told otherwise. Every one has a name of its own. */
export function workload(kind: WorkloadKind, namespace: string, options: WorkloadOptions = {}): KubernetesObject {
  const { volumes = [CLAIM_VOLUME], replicas = 1, metadata = {}, env = [] } = options;
  made += 1;
  const labels = { app: `web-${made}` };
  const volumeMounts = ((volumes ?? []) as readonly { name?: string }[]).map(({ name }) => ({
    name,
    mountPath: `/${name}`,
  }));
  const pods = { containers: [{ name: 'web', image: 'web:1', env, volumeMounts }], volumes };
  const object = {
    apiVersion: kind === 'Job' || kind === 'CronJob' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { namespace, name: `web-${made}`, ...metadata },
    spec: specOf(kind, replicas, labels, pods),
  };
  return object;
}

function specOf(kind: WorkloadKind, replicas: number, labels: object, pods: object): object {
  const served = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pods } };
  const run = { parallelism: replicas, template: { metadata: { labels }, spec: { ...pods, restartPolicy: 'Never' } } };
  switch (kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
      return { replicas, ...served };
    case 'DaemonSet':
      return served;
    case 'Job':
      return run;
    case 'CronJob':
      return { schedule: '0 3 * * *', jobTemplate: { spec: run } };
    default:
      return kind satisfies never;
  }
}

export function claim(namespace: string, metadata: object = {}): KubernetesObject {
  made += 1;
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name: `data-${made}`, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  return object;
}

export const controlledBy = (apiVersion: string, kind: string, controller = true) => ({
  ownerReferences: [{ apiVersion, kind, name: 'owner', uid: '6f1d9f3e-0000-4000-8000-000000000000', controller }],
});

export const serviceAccount = (namespace: string, name: string): Identity => ({
  user: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
});

export const NODE: Identity = { user: 'system:node:node-1', groups: ['system:nodes'] };

export function keyOf({ apiVersion = '', kind = '', metadata = {} }: KubernetesObject): ObjectKey {
  return { apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace ?? '' };
}

export const create = (object: KubernetesObject) => (api: KubernetesApi) => api.create(object);

export const merge = (patch: object, subresource?: string) => (api: KubernetesApi, stored: KubernetesObject) =>
  api.patch(keyOf(stored), 'merge', patch, subresource === undefined ? {} : { subresource });

/**
 * Deletes a Deployment that a finalizer holds. A patch is tried on what the API server's cache has, and tried again where that
 * is old (`staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go:GuaranteedUpdate`), so the cache has to know first.
 */
export async function beginDeletion(api: KubernetesApi, stored: KubernetesObject): Promise<void> {
  const { name, namespace } = keyOf(stored);
  await api.delete(keyOf(stored));
  await until('the deletion to be in the cache', async () => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}?resourceVersion=0`;
    const { body } = await api.request<{ readonly metadata?: object }>('GET', path);
    return 'deletionTimestamp' in (body.metadata ?? {});
  });
}

export const scaleTo = (replicas: number) => merge({ spec: { replicas } }, 'scale');

export const annotate = (annotations: Readonly<Record<string, string>>) => merge({ metadata: { annotations } });

export const withoutOwner = merge({ metadata: { ownerReferences: null } });

/** A change of the template, which a rollout follows. */
export const rollOut = merge({ spec: { template: { spec: { terminationGracePeriodSeconds: 7 } } } });
