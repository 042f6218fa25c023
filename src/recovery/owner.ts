import { countAt, type JsonObject, objectAt, stringAt, stringMapAt } from '../objects/json.ts';
import { isWorkloadKind, KINDS } from '../objects/kinds.ts';
import { type ManagedBy, managedByOf } from '../objects/managed-by.ts';
import { metadataFrom, type OwnerReference } from '../objects/metadata.ts';
import { workloadFrom } from '../objects/read-workload.ts';
import type { Workload } from '../objects/workload.ts';

/** An object that makes pods, or that owns one that does. */
export interface Owner extends OwnerReference {
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly controller: OwnerReference | undefined;
  /** Only our own. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly managedBy: readonly ManagedBy[];
  /** Of the kinds that say how many pods they want. */
  readonly replicas: number | undefined;
  /** Of the kinds that can be told to wait: Job and CronJob. */
  readonly suspended: boolean;
  readonly deleting: boolean;
  /** StatefulSet: its claims go, and their data, when it is scaled down (`persistentVolumeClaimRetentionPolicy`). */
  readonly deletesClaims: boolean;
  /** ReplicaSet: which template of its Deployment it is of. */
  readonly revision: number | undefined;
  /** Present for the kinds of Kubernetes. */
  readonly workload: Workload | undefined;
}

export function ownerFrom(object: JsonObject): Owner {
  const { namespace, name, controller, annotations, deleting } = metadataFrom(object);
  const metadata = objectAt(object, 'metadata');
  const apiVersion = stringAt(object, 'apiVersion') ?? '';
  const kind = stringAt(object, 'kind') ?? '';
  const spec = objectAt(object, 'spec');
  const isOurs = isWorkloadKind(kind) && KINDS[kind].apiVersion === apiVersion;
  const revision = stringMapAt(metadata, 'annotations').get('deployment.kubernetes.io/revision');
  return {
    ...{ apiVersion, kind, namespace, name, controller, annotations, deleting },
    uid: stringAt(metadata, 'uid') ?? '',
    resourceVersion: stringAt(metadata, 'resourceVersion') ?? '',
    managedBy: managedByOf(object),
    replicas: isReplicated(apiVersion, kind) ? (countAt(spec, 'replicas') ?? 1) : undefined,
    deletesClaims: stringAt(objectAt(spec, 'persistentVolumeClaimRetentionPolicy'), 'whenScaled') === 'Delete',
    suspended: spec?.suspend === true,
    revision: kind === 'ReplicaSet' && revision !== undefined ? Number(revision) : undefined,
    workload: isOurs ? workloadFrom(kind, object) : undefined,
  };
}

/** Kinds of Kubernetes that have `spec.replicas`. */
export function isReplicated(apiVersion: string, kind: string): boolean {
  if (apiVersion === 'v1') return kind === 'ReplicationController';
  return apiVersion === 'apps/v1' && ['Deployment', 'StatefulSet', 'ReplicaSet'].includes(kind);
}

/** Kinds that can be told to wait by `spec.suspend`. */
export function isSuspendable(apiVersion: string, kind: string): boolean {
  return apiVersion === 'batch/v1' && (kind === 'Job' || kind === 'CronJob');
}

/** Whether the kind is one of Kubernetes' own, and not one of an operator. */
export function isOfKubernetes(apiVersion: string): boolean {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return !group.includes('.') || group.endsWith('.k8s.io');
}
