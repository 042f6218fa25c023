/** What Kubernetes calls a kind, and what is done with its objects. */
export interface KindRow {
  /** The version that is watched, asked for and judged. */
  readonly apiVersion: string;
  /** The plural by which paths, roles, metrics and kubectl know it. */
  readonly list: string;
  readonly namespaced: boolean;
  /** What the server may do with all objects of the cluster. */
  readonly verbs: readonly ('get' | 'list' | 'watch')[];
  /** Whether requests to create or to update it are judged. */
  readonly judged: boolean;
  /** Whether the API serves `scale` for it (`pkg/registry/apps/rest/storage_apps.go`). */
  readonly scalable?: true;
  /** Another version under which manifests may have it, with the same fields as far as they are read. */
  readonly alsoWrittenAs?: string;
  readonly shortName?: string;
}

const WATCH = ['list', 'watch'] as const;

/** What the watch has not brought yet is asked for by name. */
const GET = ['get', 'list', 'watch'] as const;

const JUDGED = { namespaced: true, verbs: GET, judged: true } as const;

const WORKLOADS = {
  Deployment: { apiVersion: 'apps/v1', list: 'deployments', ...JUDGED, scalable: true, shortName: 'deploy' },
  StatefulSet: { apiVersion: 'apps/v1', list: 'statefulsets', ...JUDGED, scalable: true, shortName: 'sts' },
  DaemonSet: { apiVersion: 'apps/v1', list: 'daemonsets', ...JUDGED, shortName: 'ds' },
  ReplicaSet: { apiVersion: 'apps/v1', list: 'replicasets', ...JUDGED, scalable: true, shortName: 'rs' },
  Job: { apiVersion: 'batch/v1', list: 'jobs', ...JUDGED },
  CronJob: { apiVersion: 'batch/v1', list: 'cronjobs', ...JUDGED, shortName: 'cj' },
} as const satisfies Readonly<Record<string, KindRow>>;

const OF_CLUSTER = { namespaced: false, judged: false } as const;
const STORAGE = 'storage.k8s.io/v1';

/** Every kind that is read of a cluster or of manifests, each once; all of them are watched. */
export const KINDS = {
  Node: { apiVersion: 'v1', list: 'nodes', ...OF_CLUSTER, verbs: WATCH },
  PersistentVolumeClaim: { apiVersion: 'v1', list: 'persistentvolumeclaims', ...JUDGED, shortName: 'pvc' },
  PersistentVolume: { apiVersion: 'v1', list: 'persistentvolumes', ...OF_CLUSTER, verbs: GET },
  StorageClass: { apiVersion: STORAGE, list: 'storageclasses', ...OF_CLUSTER, verbs: GET },
  CSIDriver: { apiVersion: STORAGE, list: 'csidrivers', ...OF_CLUSTER, verbs: GET },
  RuntimeClass: { apiVersion: 'node.k8s.io/v1', list: 'runtimeclasses', ...OF_CLUSTER, verbs: WATCH },
  Namespace: { apiVersion: 'v1', list: 'namespaces', ...OF_CLUSTER, verbs: GET },
  ...WORKLOADS,
  HorizontalPodAutoscaler: {
    apiVersion: 'autoscaling/v1',
    alsoWrittenAs: 'autoscaling/v2',
    list: 'horizontalpodautoscalers',
    namespaced: true,
    verbs: WATCH,
    judged: false,
  },
} as const satisfies Readonly<Record<string, KindRow>>;

export type Kind = keyof typeof KINDS;

/** The kinds of objects that keep pods running, or start them now and then. */
export type WorkloadKind = keyof typeof WORKLOADS;

/** The kinds that are asked for by name. */
export type NamedKind = { readonly [K in Kind]: 'get' extends (typeof KINDS)[K]['verbs'][number] ? K : never }[Kind];

export type ListName = (typeof KINDS)[Kind]['list'];

export const ALL_KINDS: readonly Kind[] = Object.keys(KINDS).filter(isKind);

export const WORKLOAD_KINDS: readonly WorkloadKind[] = Object.keys(WORKLOADS).filter(isWorkloadKind);

/** The kinds whose creation and changes are judged. */
export const JUDGED_KINDS: readonly Kind[] = ALL_KINDS.filter((kind) => KINDS[kind].judged);

export const LISTS: readonly ListName[] = ALL_KINDS.map((kind) => KINDS[kind].list);

export function rowOf(kind: Kind): KindRow {
  return KINDS[kind];
}

export function isScalable(kind: Kind): boolean {
  return rowOf(kind).scalable === true;
}

export function isKind(kind: unknown): kind is Kind {
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind);
}

export function isWorkloadKind(kind: unknown): kind is WorkloadKind {
  return typeof kind === 'string' && Object.hasOwn(WORKLOADS, kind);
}

/** The kind of an object, as it says itself; `undefined` where it is none of ours, or of another version. */
export function kindOf({
  apiVersion,
  kind,
}: {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}): Kind | undefined {
  if (!isKind(kind)) return undefined;
  const row = rowOf(kind);
  return apiVersion === row.apiVersion || apiVersion === row.alsoWrittenAs ? kind : undefined;
}

const KIND_OF_LIST: ReadonlyMap<string, Kind> = new Map(ALL_KINDS.map((kind) => [KINDS[kind].list, kind]));

/** The kind that the API serves by this name, as requests have it. */
export function kindServedAs({
  group,
  version,
  resource,
}: Readonly<Record<'group' | 'version' | 'resource', string>>): Kind | undefined {
  const kind = KIND_OF_LIST.get(resource);
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return kind !== undefined && KINDS[kind].apiVersion === apiVersion ? kind : undefined;
}
