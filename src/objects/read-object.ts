import { type Autoscaler, autoscalerFrom } from './horizontal-pod-autoscaler.ts';
import { type JsonObject, objectAt, stringAt } from './json.ts';
import { isWorkloadKind, KINDS, type Kind, kindOf, type WorkloadKind } from './kinds.ts';
import { type Namespace, namespaceFrom } from './namespace.ts';
import { type Node, nodeFrom } from './node.ts';
import { type PersistentVolume, volumeFrom } from './persistent-volume.ts';
import { claimFrom, type PersistentVolumeClaim } from './persistent-volume-claim.ts';
import { workloadFrom } from './read-workload.ts';
import { type RuntimeClass, runtimeClassFrom } from './runtime-class.ts';
import { type CsiDriver, csiDriverFrom, type StorageClass, storageClassFrom } from './storage-class.ts';
import type { Workload } from './workload.ts';

/** What objects of each kind are read to. */
export interface ObjectsByKind extends Readonly<Record<WorkloadKind, Workload>> {
  readonly Node: Node;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly PersistentVolume: PersistentVolume;
  readonly StorageClass: StorageClass;
  readonly CSIDriver: CsiDriver;
  readonly RuntimeClass: RuntimeClass;
  readonly Namespace: Namespace;
  readonly HorizontalPodAutoscaler: Autoscaler;
}

const READERS: { readonly [K in Kind]: (object: JsonObject) => ObjectsByKind[K] } = {
  Node: nodeFrom,
  PersistentVolumeClaim: claimFrom,
  PersistentVolume: volumeFrom,
  StorageClass: storageClassFrom,
  CSIDriver: csiDriverFrom,
  RuntimeClass: runtimeClassFrom,
  Namespace: namespaceFrom,
  Deployment: (object) => workloadFrom('Deployment', object),
  StatefulSet: (object) => workloadFrom('StatefulSet', object),
  DaemonSet: (object) => workloadFrom('DaemonSet', object),
  ReplicaSet: (object) => workloadFrom('ReplicaSet', object),
  Job: (object) => workloadFrom('Job', object),
  CronJob: (object) => workloadFrom('CronJob', object),
  HorizontalPodAutoscaler: autoscalerFrom,
};

/** Reads an object of this kind. Throws UnreadableObjectError where a field has another type than its API says. */
export function readAs<K extends Kind>(kind: K, object: JsonObject): ObjectsByKind[K] {
  return READERS[kind](object);
}

/** An object as it was read, by its kind. */
export type ReadObject<K extends Kind = Kind> = {
  readonly [One in K]: { readonly kind: One; readonly value: ObjectsByKind[One] };
}[K];

/** An object whose creation and changes are judged. */
export type JudgedObject = ReadObject<'PersistentVolumeClaim' | WorkloadKind>;

export function isOfKind<K extends Kind>(
  read: ReadObject,
  kind: K,
): read is ReadObject & { readonly value: ObjectsByKind[K] } {
  return read.kind === kind;
}

export function isWorkload(read: ReadObject): read is ReadObject<WorkloadKind> {
  return isWorkloadKind(read.kind);
}

/**
 * Reads an object; `undefined` for a kind that nobody asks for. One that names no namespace is put where kubectl would put
 * it, or wherever else is said. Throws UnreadableObjectError where a field has another type than its API says.
 */
export function readObject(object: JsonObject, unnamedNamespace = 'default'): ReadObject | undefined {
  const kind = kindOf(object);
  if (kind === undefined) return undefined;
  const metadata = objectAt(object, 'metadata');
  const namespace = stringAt(metadata, 'namespace') || unnamedNamespace;
  return readWith(kind, KINDS[kind].namespaced ? { ...object, metadata: { ...metadata, namespace } } : object);
}

function readWith<K extends Kind>(kind: K, object: JsonObject): ReadObject<K> {
  return { kind, value: readAs(kind, object) };
}
