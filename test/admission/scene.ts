import type { Admission, AdmissionResponse, Observation } from '../../src/admission/admission.ts';
import { createAdmission } from '../../src/admission/admit.ts';
import type { AdmissionDeps, AdmissionSettings } from '../../src/admission/context.ts';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import { isObject, type JsonObject } from '../../src/objects/json.ts';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { metadataFrom } from '../../src/objects/metadata.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { rules } from '../../src/rules/index.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

export interface Told {
  readonly response: AdmissionResponse;
  readonly observation: Observation;
  readonly warnings: readonly string[];
}

/** A cluster and the admission before it, as one test needs them. */
export interface Scene {
  readonly state: ClusterState;
  readonly admission: Admission;
  add(...objects: readonly JsonObject[]): void;
  validate(request: object): Promise<Told>;
  mutate(request: object): Promise<Told>;
}

const DEFAULTS: AdmissionSettings = {
  defaultMode: 'warn',
  policy: { dryRun: 'warn', existing: 'warn', exemptions: 'allow', overBudget: 'warn' },
  exempt: { namespaces: [], users: [], autoscalers: [] },
};

/** Three nodes, a storage class whose driver attaches, a claim `shop/data`, and `shop` in the given mode. */
export function scene(options: Partial<AdmissionDeps> & { settings?: AdmissionSettings; labels?: object } = {}): Scene {
  const state = new ClusterState();
  const admission = createAdmission({
    snapshot: state,
    matrix: storageMatrix(),
    rules,
    lookUp: async (refs) => refs.map((ref) => ({ ...ref, found: { known: true, value: undefined } })),
    recent: new RecentRequests(() => 0),
    settings: DEFAULTS,
    ...options,
  });
  const add = (...objects: readonly JsonObject[]): void => {
    for (const object of objects) putObject(state, object);
  };
  add(...['a', 'b', 'c'].map((name) => node(name)), namespace('shop', options.labels ?? {}));
  add({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'disk' },
    provisioner: 'disk.example.com',
  });
  add(
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'disk.example.com' },
      spec: { attachRequired: true },
    },
    claim(),
  );
  const told = async (door: Admission['validate'], request: object): Promise<Told> => {
    const { review, observation } = await door(review0(request), AbortSignal.timeout(5_000));
    return { response: review.response, observation, warnings: review.response.warnings ?? [] };
  };
  return {
    state,
    admission,
    add,
    validate: (r) => told(admission.validate, r),
    mutate: (r) => told(admission.mutate, r),
  };
}

/** An API server that has these workloads, which the watch has not brought yet, and nothing else. */
export function storing(...objects: readonly JsonObject[]): AdmissionDeps['lookUp'] {
  return async (refs) =>
    refs.map((ref) => {
      const stored = objects.find((object) => {
        const { namespace: ns, name } = metadataFrom(object);
        return object.kind === ref.kind && ns === ref.namespace && name === ref.name;
      });
      const kind = WORKLOAD_KINDS.find((workloadKind) => workloadKind === ref.kind);
      if (stored === undefined || kind === undefined) return { ...ref, found: known(undefined) };
      return { ...ref, kind, found: known(workloadFrom(kind, stored)) };
    });
}

/** An API server that answers nothing. */
export const silent: AdmissionDeps['lookUp'] = async (refs) =>
  refs.map((ref) => ({ ...ref, found: unknown(`${ref.kind} ${ref.namespace}/${ref.name} was not read in time`) }));

/** What an object says of its controller. */
export function controlledBy(apiVersion: string, kind: string, uid = 'made-up', name = 'owner') {
  return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
}

/** A service account of another namespace, as operators have one. */
export const operator = { username: 'system:serviceaccount:operators:db', groups: ['system:serviceaccounts'] };

export const enforcing = { 'rwo-guard.dev/mode': 'enforce' };

export function settings(changes: Partial<AdmissionSettings>): AdmissionSettings {
  return { ...DEFAULTS, ...changes };
}

export function node(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name } } };
}

export function namespace(name: string, labels: object): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

export function claim(name = 'data', spec: object = {}, metadata: object = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'disk', ...spec },
  };
}

/** A container that mounts volumes. */
export function container(image: string, volumes: unknown = [{ name: 'data' }]): object {
  const names: readonly { name: string }[] = Array.isArray(volumes) ? volumes : [];
  return { name: 'web', image, volumeMounts: names.map(({ name }) => ({ name, mountPath: `/${name}` })) };
}

/** A Deployment `shop/web` of one replica that mounts the claim `data`, with the strategy that defaulting gives. */
export function deployment(spec: object = {}, metadata: object = {}, podSpec: object = {}): JsonObject {
  const labels = { app: 'web' };
  const { volumes } = podSpec as { readonly volumes?: unknown };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'shop', name: 'web', ...metadata },
    spec: {
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [container('web', volumes)],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
          ...podSpec,
        },
      },
      ...spec,
    },
  };
}

export function creating(object: JsonObject, more: object = {}): object {
  return request(object, { operation: 'CREATE', object, ...more });
}

export function updating(oldObject: JsonObject, object: JsonObject, more: object = {}): object {
  return request(object, { operation: 'UPDATE', object, oldObject, ...more });
}

/** Scales `shop/web`, which is a Deployment unless another object is given. What is scaled from nothing has no pods. */
export function scaling(from: number, to: number, more: object = {}, scaled = deployment(), pods = from): object {
  const scale = (replicas: number): object => ({
    kind: 'Scale',
    metadata: { namespace: 'shop', name: 'web', resourceVersion: metadataOf(scaled).resourceVersion },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: pods },
  });
  return {
    ...request(scaled, { operation: 'UPDATE', subResource: 'scale', object: scale(to), oldObject: scale(from) }),
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    ...more,
  };
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isObject(metadata) ? metadata : {};
}

function request(object: JsonObject, more: object): object {
  const apiVersion = String(object.apiVersion);
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const { namespace: ns, name } = metadataFrom(object);
  return {
    uid: 'u-1',
    kind: { group, version: 'v1', kind: object.kind },
    resource: { group, version: 'v1', resource: `${String(object.kind).toLowerCase()}s` },
    namespace: ns,
    name,
    userInfo: { username: 'jane', groups: ['developers'] },
    dryRun: false,
    ...more,
  };
}

function review0(request: object): object {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
}
