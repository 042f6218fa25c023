import { autoscalerFrom } from '../facts/autoscaler.ts';
import { ClusterState, type ClusterTables, LIST_OF_KIND, type ListName } from '../facts/cluster-state.ts';
import { known, unknown } from '../facts/fact.ts';
import { type JsonObject, objectAt, stringAt, UnreadableObjectError } from '../facts/json.ts';
import { isOwnedByWorkload } from '../facts/metadata.ts';
import { namespaceFrom } from '../facts/namespace.ts';
import { nodeFrom } from '../facts/node.ts';
import { keyOf } from '../facts/object-key.ts';
import { claimFrom, type PersistentVolumeClaim } from '../facts/persistent-volume-claim.ts';
import { csiDriverFrom, storageClassFrom } from '../facts/storage-class.ts';
import { volumeFrom } from '../facts/volume.ts';
import { concernsOthers, type Workload, type WorkloadKind } from '../facts/workload.ts';
import { workloadFrom } from '../facts/workload-from.ts';
import { type Manifest, readManifests, type Unreadable } from './read-manifests.ts';

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

/** Where an object was put, and what of it may be asked for again: to keep it twice would take twice the room. */
export type PutObject =
  | { readonly list: 'persistentvolumeclaims'; readonly claim: PersistentVolumeClaim }
  | { readonly list: WorkloadList; readonly workload: Workload }
  | { readonly list: Exclude<ListName, 'persistentvolumeclaims' | WorkloadList> };

type WorkloadList = (typeof LIST_OF_KIND)[WorkloadKind];

/**
 * Puts the object where it belongs, and tells where that is; `undefined` for a kind that nobody asks for. One that names no
 * namespace is put where kubectl would put it, or wherever else is said.
 */
export function putObject(
  { tables }: ClusterState,
  object: JsonObject,
  unnamedNamespace = 'default',
): PutObject | undefined {
  const metadata = objectAt(object, 'metadata');
  const name = stringAt(metadata, 'name') ?? '';
  const namespace = stringAt(metadata, 'namespace') || unnamedNamespace;
  const namespaced = { ...object, metadata: { ...metadata, namespace } };
  switch (`${object.apiVersion} ${object.kind}`) {
    case 'v1 Node':
      tables.nodes.set(name, nodeFrom(object));
      return { list: 'nodes' };
    case 'v1 Namespace':
      tables.namespaces.set(name, namespaceFrom(object));
      return { list: 'namespaces' };
    case 'v1 PersistentVolume':
      tables.persistentvolumes.set(name, volumeFrom(object));
      return { list: 'persistentvolumes' };
    case 'v1 PersistentVolumeClaim': {
      const claim = claimFrom(namespaced);
      tables.persistentvolumeclaims.set(keyOf(namespace, name), claim);
      return { list: 'persistentvolumeclaims', claim };
    }
    case 'storage.k8s.io/v1 StorageClass':
      tables.storageclasses.set(name, storageClassFrom(object));
      return { list: 'storageclasses' };
    case 'storage.k8s.io/v1 CSIDriver':
      tables.csidrivers.set(name, csiDriverFrom(object));
      return { list: 'csidrivers' };
    case 'autoscaling/v2 HorizontalPodAutoscaler':
    case 'autoscaling/v1 HorizontalPodAutoscaler':
      tables.horizontalpodautoscalers.set(keyOf(namespace, name), autoscalerFrom(namespaced));
      return { list: 'horizontalpodautoscalers' };
    default:
      return putWorkload(tables, namespaced);
  }
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

/** As when it is watched: what concerns nobody, or belongs to another workload, is passed over. */
function putWorkload(tables: ClusterTables, object: JsonObject): PutObject | undefined {
  const kind = workloadKindOf(object);
  if (kind === undefined) return undefined;
  const workload = workloadFrom(kind, object);
  const { namespace, name } = workload.metadata;
  if (concernsOthers(workload) && !isOwnedByWorkload(workload.metadata)) {
    tables[LIST_OF_KIND[kind]].set(keyOf(namespace, name), workload);
  }
  return { list: LIST_OF_KIND[kind], workload };
}
