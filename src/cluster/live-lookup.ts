import { known, unknown } from '../objects/fact.ts';
import type { NamedKind } from '../objects/kinds.ts';
import { keyOf } from '../objects/object-key.ts';
import { readAs } from '../objects/read-object.ts';
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
      [...distinct.values()].map(async (ref) => {
        const object = await lookUp(ref.kind, ref, connection, signal);
        const { found } = object;
        counted('live', found.known ? (found.value === undefined ? 'absent' : 'found') : 'unknown');
        return object;
      }),
    );
  };
}

async function lookUp<K extends NamedKind>(
  kind: K,
  ref: ObjectRef,
  connection: ApiConnection,
  signal: AbortSignal,
): Promise<LookedUp<K>> {
  try {
    const object = await connection.request(objectPath(ref), {}, { signal });
    return { ...ref, kind, found: known(readAs(kind, object)) };
  } catch (error) {
    const isAbsent = error instanceof ApiError && error.status === 404;
    const because = `${kind} ${keyOf(ref.namespace, ref.name)} ${reasonOf(error, signal)}`;
    return { ...ref, kind, found: isAbsent ? known(undefined) : unknown(because) };
  }
}

/** Why an object is not known, as what follows its name. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'was not read in time';
  if (error instanceof ApiError && error.status === 403) return 'may not be read: permission missing';
  return `could not be read (${problemOf(error).code})`;
}
