import { type Fact, known, unknown } from '../objects/fact.ts';
import type { JsonObject } from '../objects/json.ts';
import { namespaceFrom } from '../objects/namespace.ts';
import { keyOf } from '../objects/object-key.ts';
import { volumeFrom } from '../objects/persistent-volume.ts';
import { claimFrom } from '../objects/persistent-volume-claim.ts';
import { workloadFrom } from '../objects/read-workload.ts';
import { csiDriverFrom, storageClassFrom } from '../objects/storage-class.ts';
import type { LookedUp, ObjectRef } from '../snapshot/snapshot.ts';
import { ApiError, problemOf } from './api-error.ts';
import { objectPath } from './api-resource.ts';
import type { ApiConnection } from './connection.ts';

export interface LiveLookupOptions {
  readonly connection: ApiConnection;
  /** Counts one look-up, for `rwo_guard_lookups_total{source,result}`. */
  readonly counted: (source: 'live', result: 'found' | 'absent' | 'unknown') => void;
}

/** Asks the API server for single objects; never rejects, and what cannot be told is unknown. */
export type LiveLookup = (refs: readonly ObjectRef[], signal: AbortSignal) => Promise<readonly LookedUp[]>;

/** GETs just these objects, all at the same time and each once. The signal is the deadline. */
export function liveLookup({ connection, counted }: LiveLookupOptions): LiveLookup {
  return (refs, signal) => {
    const distinct = new Map(refs.map((ref) => [objectPath(ref), ref]));
    return Promise.all(
      [...distinct].map(([path, ref]) =>
        lookUp(ref, async (read) => {
          const found = await objectAtPath(connection, path, { ref, read, signal });
          counted('live', found.known ? (found.value === undefined ? 'absent' : 'found') : 'unknown');
          return found;
        }),
      ),
    );
  };
}

type Read<T> = (object: JsonObject) => T;

async function lookUp(
  { kind, namespace, name }: ObjectRef,
  get: <T>(read: Read<T>) => Promise<Fact<T | undefined>>,
): Promise<LookedUp> {
  switch (kind) {
    case 'PersistentVolumeClaim':
      return { kind, namespace, name, found: await get(claimFrom) };
    case 'PersistentVolume':
      return { kind, namespace, name, found: await get(volumeFrom) };
    case 'StorageClass':
      return { kind, namespace, name, found: await get(storageClassFrom) };
    case 'CSIDriver':
      return { kind, namespace, name, found: await get(csiDriverFrom) };
    case 'Namespace':
      return { kind, namespace, name, found: await get(namespaceFrom) };
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'ReplicaSet':
    case 'Job':
    case 'CronJob':
      return { kind, namespace, name, found: await get((object) => workloadFrom(kind, object)) };
    default:
      return kind satisfies never;
  }
}

interface Wanted<T> {
  readonly ref: ObjectRef;
  readonly read: Read<T>;
  readonly signal: AbortSignal;
}

async function objectAtPath<T>(
  connection: ApiConnection,
  path: string,
  { ref, read, signal }: Wanted<T>,
): Promise<Fact<T | undefined>> {
  try {
    return known(read(await connection.request(path, {}, { signal })));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return known(undefined);
    return unknown(`${ref.kind} ${keyOf(ref.namespace, ref.name)} ${reasonOf(error, signal)}`);
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'was not read in time';
  if (error instanceof ApiError && error.status === 403) return 'may not be read: permission missing';
  return `could not be read (${problemOf(error).code})`;
}
