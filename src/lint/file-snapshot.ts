import { known, unknown } from '../objects/fact.ts';
import { type JsonObject, UnreadableObjectError } from '../objects/json.ts';
import { keyOf } from '../objects/object-key.ts';
import { isWorkload, type ReadObject, readObject } from '../objects/read-object.ts';
import { concernsOthers } from '../objects/workload.ts';
import { ClusterState } from '../snapshot/cluster-state.ts';
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
      if (put?.kind === 'Node') hasNodes = true;
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      unreadable.push({ file: manifest.file, line: manifest.line, because: error.message });
    }
  }
  return { snapshot, objects, unreadable };
}

/** Puts the object where it belongs, and gives what was read of it. As when it is watched, what concerns nobody is passed over. */
export function putObject(state: ClusterState, object: JsonObject): ReadObject | undefined {
  const read = readObject(object);
  if (read === undefined || (isWorkload(read) && !concernsOthers(read.value))) return read;
  const { namespace, name } = 'metadata' in read.value ? read.value.metadata : { namespace: '', ...read.value };
  state.set(keyOf(namespace, name), read);
  return read;
}
