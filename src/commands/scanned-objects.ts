import { KubeConnection } from '../cluster/connection.ts';
import { Interned } from '../cluster/interned.ts';
import { loadKubeConfig } from '../cluster/kube-config.ts';
import { listCluster, type NotListed } from '../cluster/listed-cluster.ts';
import { putObject } from '../lint/file-snapshot.ts';
import { known, unknown } from '../objects/fact.ts';
import { type JsonObject, UnreadableObjectError } from '../objects/json.ts';
import { ALL_KINDS, KINDS, type Kind, WORKLOAD_KINDS } from '../objects/kinds.ts';
import { metadataFrom } from '../objects/metadata.ts';
import { keyOf } from '../objects/object-key.ts';
import { podFrom } from '../objects/pod.ts';
import { readAs } from '../objects/read-object.ts';
import type { Unseen } from '../report/scan-report.ts';
import { RunningPods } from '../scan/running-pods.ts';
import { LEFT_OPEN, type ScannedObjects } from '../scan/scanned-cluster.ts';
import { ClusterState } from '../snapshot/cluster-state.ts';
import { UsageError } from '../usage-error.ts';
import { readManifests } from '../yaml/read-manifests.ts';
import type { ClusterOptions } from './command.ts';

export interface Live extends ClusterOptions {
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Called with the number of objects that were read. */
  readonly progress: (objects: number) => void;
  /** Called with each object as well, before it is read. */
  readonly also?: (object: JsonObject) => void;
}

/** Reads a live cluster with the caller's own rights. Rejects where it cannot be reached, or shows nothing at all. */
export async function liveObjects({ namespace, signal, progress, also, ...choice }: Live): Promise<ScannedObjects> {
  const connection = new KubeConnection({ load: () => loadKubeConfig(choice) });
  const refused = new Map<string, string>();
  const state = new ClusterState((list) => {
    const because = refused.get(list);
    return because === undefined ? known(true) : unknown(`${list} cannot be read: ${because}`);
  });
  const interned = new Interned();
  const pods = new RunningPods(state);
  let objects = 0;
  const take = (kind: Kind | 'Pod', object: JsonObject): void => {
    progress(++objects);
    also?.({ ...object, kind });
    if (kind === 'Pod') takePod(object, pods);
    else put(kind, object, state, interned);
  };
  try {
    const { missing, unreadable } = await listCluster({ connection, namespace, signal, take });
    for (const { list, because, isInNamespace } of missing) if (!isInNamespace) refused.set(list, because);
    if (WORKLOAD_KINDS.every((kind) => refused.has(KINDS[kind].list)))
      throw new UsageError(`no workload may be listed: ${[...refused.values()].join(', ')}`);
    const unseen = missing.map((one) => unseenOf(one, namespace));
    return { state, pods: refused.has('pods') ? undefined : pods, unseen, unreadable };
  } finally {
    await connection.close();
  }
}

function put<K extends Kind>(kind: K, object: JsonObject, state: ClusterState, interned: Interned): void {
  const value = interned.object(kind, readAs(kind, object));
  const { namespace, name } = metadataFrom(object);
  if (value !== undefined) state.set(keyOf(namespace, name), { kind, value });
}

function takePod(object: JsonObject, pods: RunningPods): void {
  const pod = podFrom(object);
  if (pod !== undefined) pods.add(pod);
}

function unseenOf({ list, because, isInNamespace }: NotListed, namespace: string | undefined): Unseen {
  if (!isInNamespace) return { list, because, leavesOpen: LEFT_OPEN[list] ?? '' };
  return { list, because: `${because} outside ${namespace}`, leavesOpen: 'what pods of other namespaces do to these' };
}

/** Without which a dump says nothing of claims and pods; of the others, none is an answer. */
const EXPECTED: readonly Kind[] = ['Node', 'PersistentVolume', 'StorageClass', 'CSIDriver', 'Namespace'];

/** Takes a cluster from what was written down of it. Rejects with UsageError where there is nothing to read. */
export async function dumpedObjects(path: string, also?: Live['also']): Promise<ScannedObjects> {
  const { manifests, unreadable } = await readManifests(path).catch((cause: unknown) => {
    throw new UsageError(`--from ${path} cannot be read: give a file or a folder that kubectl get -o json wrote`, {
      cause,
    });
  });
  const seen = new Set<string>(manifests.map(({ object }) => String(object.kind)));
  if (!ALL_KINDS.some((kind) => seen.has(kind)))
    throw new UsageError(`--from ${path} holds no objects of a cluster: write it by ${KUBECTL_GET} > ${path}`);
  const missing = EXPECTED.filter((kind) => !seen.has(kind)).map((kind) => KINDS[kind].list);
  const state = new ClusterState((list) =>
    missing.some((one) => one === list) ? unknown(`${list} are not in the dump`) : known(true),
  );
  const pods = new RunningPods(state);
  const problems = unreadable.map(({ file, line, because }) => `${file}:${line}: ${because}`);
  for (const { file, line, object } of manifests) {
    try {
      also?.(object);
      if (object.kind === 'Pod') takePod(object, pods);
      else putObject(state, object);
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      problems.push(`${file}:${line}: ${error.message}`);
    }
  }
  const hasPods = seen.has('Pod');
  const unseen = [...missing, ...(hasPods ? [] : ['pods'])].map((list) => ({
    ...{ list, because: 'none in the dump', leavesOpen: LEFT_OPEN[list] ?? '' },
  }));
  return { state, pods: hasPods ? pods : undefined, unseen, unreadable: problems };
}

const KUBECTL_GET = `kubectl get ${[...ALL_KINDS.map((kind) => KINDS[kind].list), 'pods'].join(',')} -A -o json`;
