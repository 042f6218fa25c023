import { known, unknown } from '../objects/fact.ts';
import { type Autoscaler, autoscalerFrom } from '../objects/horizontal-pod-autoscaler.ts';
import { type JsonObject, objectAt, stringAt, UnreadableObjectError } from '../objects/json.ts';
import { type Namespace, namespaceFrom } from '../objects/namespace.ts';
import { type Node, nodeFrom } from '../objects/node.ts';
import { keyOf } from '../objects/object-key.ts';
import { type PersistentVolume, volumeFrom } from '../objects/persistent-volume.ts';
import { claimFrom, type PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import { workloadFrom } from '../objects/read-workload.ts';
import { type RuntimeClass, runtimeClassFrom } from '../objects/runtime-class.ts';
import { type CsiDriver, csiDriverFrom, type StorageClass, storageClassFrom } from '../objects/storage-class.ts';
import { concernsOthers, type Workload, type WorkloadKind } from '../objects/workload.ts';
import { ClusterState, LIST_OF_KIND } from '../snapshot/cluster-state.ts';
import { type Manifest, readManifests, type Unreadable } from '../yaml/read-manifests.ts';

/** A cluster's state that was written down, with what of it could not be read. */
export interface FileSnapshot {
  readonly snapshot: ClusterState;
  /** Objects that count; those of other kinds are passed over. */
  readonly objects: number;
  readonly unreadable: readonly Unreadable[];
}

/** Takes the state from a file or a folder, such as `kubectl get … -o yaml` prints it. Rejects if the path cannot be read. */
export async function fileSnapshot(path: string): Promise<FileSnapshot> {
  const { manifests, unreadable, foreign } = await readManifests(path);
  const { unreadable: refused, ...state } = snapshotOf(manifests);
  return { ...state, unreadable: [...unreadable, ...foreign, ...refused] };
}

/** The state that these objects make. Without a single Node in it, where pods may run is not known. */
export function snapshotOf(manifests: readonly Pick<Manifest, 'file' | 'line' | 'object'>[]): FileSnapshot {
  let objects = 0;
  let hasNodes = false;
  const snapshot = new ClusterState((list) =>
    list === 'nodes' && !hasNodes ? unknown('there are no nodes in the files') : known(true),
  );
  const unreadable: Unreadable[] = [];
  for (const manifest of manifests) {
    try {
      const put = putObject(snapshot, manifest.object);
      if (put !== undefined) objects++;
      if (put?.list === 'nodes') hasNodes = true;
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      unreadable.push({ file: manifest.file, line: manifest.line, because: error.message });
    }
  }
  return { snapshot, objects, unreadable };
}

/** What an object says, by the list that it belongs to. */
export type ReadObject =
  | { readonly list: 'nodes'; readonly node: Node }
  | { readonly list: 'namespaces'; readonly namespace: Namespace }
  | { readonly list: 'persistentvolumes'; readonly volume: PersistentVolume }
  | { readonly list: 'persistentvolumeclaims'; readonly claim: PersistentVolumeClaim }
  | { readonly list: 'storageclasses'; readonly storageClass: StorageClass }
  | { readonly list: 'csidrivers'; readonly csiDriver: CsiDriver }
  | { readonly list: 'runtimeclasses'; readonly runtimeClass: RuntimeClass }
  | { readonly list: 'horizontalpodautoscalers'; readonly autoscaler: Autoscaler }
  | { readonly list: (typeof LIST_OF_KIND)[WorkloadKind]; readonly workload: Workload };

/**
 * Reads an object; `undefined` for a kind that nobody asks for. One that names no namespace is put where kubectl would put
 * it, or wherever else is said. Throws UnreadableObjectError where a field has another type than its API says.
 */
export function readObject(object: JsonObject, unnamedNamespace = 'default'): ReadObject | undefined {
  const metadata = objectAt(object, 'metadata');
  const namespace = stringAt(metadata, 'namespace') || unnamedNamespace;
  const namespaced = { ...object, metadata: { ...metadata, namespace } };
  switch (`${object.apiVersion} ${object.kind}`) {
    case 'v1 Node':
      return { list: 'nodes', node: nodeFrom(object) };
    case 'v1 Namespace':
      return { list: 'namespaces', namespace: namespaceFrom(object) };
    case 'v1 PersistentVolume':
      return { list: 'persistentvolumes', volume: volumeFrom(object) };
    case 'v1 PersistentVolumeClaim':
      return { list: 'persistentvolumeclaims', claim: claimFrom(namespaced) };
    case 'storage.k8s.io/v1 StorageClass':
      return { list: 'storageclasses', storageClass: storageClassFrom(object) };
    case 'storage.k8s.io/v1 CSIDriver':
      return { list: 'csidrivers', csiDriver: csiDriverFrom(object) };
    case 'node.k8s.io/v1 RuntimeClass':
      return { list: 'runtimeclasses', runtimeClass: runtimeClassFrom(object) };
    case 'autoscaling/v2 HorizontalPodAutoscaler':
    case 'autoscaling/v1 HorizontalPodAutoscaler':
      return { list: 'horizontalpodautoscalers', autoscaler: autoscalerFrom(namespaced) };
    default: {
      const kind = workloadKindOf(object);
      return kind && { list: LIST_OF_KIND[kind], workload: workloadFrom(kind, namespaced) };
    }
  }
}

/** Puts the object where it belongs, and gives what was read of it. */
export function putObject({ tables }: ClusterState, object: JsonObject): ReadObject | undefined {
  const read = readObject(object);
  const name = stringAt(objectAt(object, 'metadata'), 'name') ?? '';
  if (read === undefined) return undefined;
  switch (read.list) {
    case 'nodes':
      tables.nodes.set(name, read.node);
      break;
    case 'namespaces':
      tables.namespaces.set(name, read.namespace);
      break;
    case 'persistentvolumes':
      tables.persistentvolumes.set(name, read.volume);
      break;
    case 'persistentvolumeclaims':
      tables.persistentvolumeclaims.set(keyOf(read.claim.metadata.namespace, name), read.claim);
      break;
    case 'storageclasses':
      tables.storageclasses.set(name, read.storageClass);
      break;
    case 'csidrivers':
      tables.csidrivers.set(name, read.csiDriver);
      break;
    case 'runtimeclasses':
      tables.runtimeclasses.set(name, read.runtimeClass);
      break;
    case 'horizontalpodautoscalers':
      tables.horizontalpodautoscalers.set(keyOf(read.autoscaler.namespace, name), read.autoscaler);
      break;
    default:
      // As when it is watched: what concerns nobody is passed over.
      if (concernsOthers(read.workload)) {
        const { namespace, name } = read.workload.metadata;
        tables[read.list].set(keyOf(namespace, name), read.workload);
      }
  }
  return read;
}

const KIND_OF_API: ReadonlyMap<string, WorkloadKind> = new Map([
  ['apps/v1 Deployment', 'Deployment'],
  ['apps/v1 StatefulSet', 'StatefulSet'],
  ['apps/v1 DaemonSet', 'DaemonSet'],
  ['apps/v1 ReplicaSet', 'ReplicaSet'],
  ['batch/v1 Job', 'Job'],
  ['batch/v1 CronJob', 'CronJob'],
]);

/** Which kind of workload it is, if it is one. */
export function workloadKindOf({ apiVersion, kind }: JsonObject): WorkloadKind | undefined {
  return KIND_OF_API.get(`${apiVersion} ${kind}`);
}
