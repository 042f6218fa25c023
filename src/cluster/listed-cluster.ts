import { isObject, type JsonObject, UnreadableObjectError } from '../objects/json.ts';
import { KINDS, type Kind, type ListName } from '../objects/kinds.ts';
import { ApiError } from './api-error.ts';
import { listPath } from './api-resource.ts';
import type { ApiConnection } from './connection.ts';
import { InTurn } from './in-turn.ts';
import { listPages } from './list-pages.ts';
import type { Time } from './time.ts';

/** What is read of a cluster once. */
export interface Listing {
  readonly connection: ApiConnection;
  /** Where namespaced kinds are read if they may not be read in all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Takes what is kept of an object. What it throws as unreadable is noted, and the object left out. */
  readonly take: (kind: ScannedKind, object: JsonObject) => void;
  /** What came so far of a kind is a part of nothing: its list begins again. */
  readonly forget: (kind: ScannedKind) => void;
  /** Waits where the API server asks for that. */
  readonly time: Pick<Time, 'sleep'>;
}

/** The kinds that are watched as well, and those that tell where volumes are now. */
export type ScannedKind = Kind | 'Pod' | 'VolumeAttachment';

/** A list that was refused, or read in one namespace only. */
export interface NotListed {
  readonly list: ListName | 'pods' | 'volumeattachments';
  readonly because: string;
  /** Whether the objects of the namespace were read. */
  readonly isInNamespace: boolean;
}

export interface Listed {
  readonly missing: readonly NotListed[];
  readonly unreadable: readonly UnreadableListed[];
}

/** An object with a field of a type that its API does not know. */
export interface UnreadableListed {
  readonly kind: ScannedKind;
  /** As it says itself. */
  readonly name: string;
  readonly because: string;
}

/** Not all pods: those that have ended hold no volumes. */
const PODS = {
  kind: 'Pod',
  list: 'pods',
  path: '/api/v1/pods',
  namespaced: true,
  query: { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' },
} as const;

const ATTACHMENTS = {
  kind: 'VolumeAttachment',
  list: 'volumeattachments',
  path: '/apis/storage.k8s.io/v1/volumeattachments',
  namespaced: false,
} as const;

/** A few pages at a time keep this process busy, and an API server from being so. */
const MOST_AT_ONCE = 4;

/**
 * Reads the lists of these kinds page by page. Rejects where the API server cannot be reached, or answers with anything but a
 * list or a refusal.
 */
export async function listKinds(kinds: readonly ScannedKind[], listing: Listing): Promise<Listed> {
  const inTurn = new InTurn(MOST_AT_ONCE);
  const read = await Promise.all(
    kinds.map((kind) =>
      inTurn.run(async () => {
        const unreadable: UnreadableListed[] = [];
        return { missing: await readList(listOf(kind), listing, unreadable), unreadable };
      }, listing.signal),
    ),
  );
  return {
    missing: read.flatMap(({ missing }) => missing ?? []),
    unreadable: read.flatMap(({ unreadable }) => unreadable),
  };
}

interface List {
  readonly kind: ScannedKind;
  readonly list: NotListed['list'];
  readonly path: string;
  readonly namespaced: boolean;
  readonly query?: Readonly<Record<string, string>>;
}

function listOf(kind: ScannedKind): List {
  if (kind === 'Pod') return PODS;
  if (kind === 'VolumeAttachment') return ATTACHMENTS;
  const { list, namespaced } = KINDS[kind];
  return { kind, list, path: listPath(kind), namespaced };
}

async function readList(list: List, listing: Listing, unreadable: UnreadableListed[]): Promise<NotListed | undefined> {
  const refusal = await tried(list, list.path, listing, unreadable);
  if (refusal === undefined) return undefined;
  const because = refusal.status === 404 ? 'this API server does not serve it' : 'permission missing (list)';
  const { namespace } = listing;
  const refused = { list: list.list, because, isInNamespace: false };
  if (namespace === undefined || !list.namespaced || refusal.status === 404) return refused;
  const within = `${list.path.slice(0, -list.list.length)}namespaces/${encodeURIComponent(namespace)}/${list.list}`;
  return { ...refused, isInNamespace: (await tried(list, within, listing, unreadable)) === undefined };
}

/** An API server forgets a list half way after five minutes, or is too busy for one; then another one begins. */
const MOST_ATTEMPTS = 4;

/** It asks for a second where it is busy (`apiserver/pkg/util/flowcontrol`), and nobody waits for much longer. */
const MOST_PATIENCE_MS = 10_000;

/** Nothing where all was read, and else the refusal. */
async function tried(
  list: List,
  path: string,
  { connection, signal, take, forget, time }: Listing,
  unreadable: UnreadableListed[],
): Promise<ApiError | undefined> {
  for (let attempt = 1; ; attempt++) {
    const wrong = new Map<string, UnreadableListed>();
    try {
      await listPages(connection, path, (object) => takeReadable(list.kind, object, take, wrong), signal, list.query);
      unreadable.push(...wrong.values());
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.refused) return error;
      if (attempt >= MOST_ATTEMPTS || !(error.expired || error.retryAfterMs !== undefined)) throw error;
      forget(list.kind);
      if (error.retryAfterMs !== undefined) await time.sleep(Math.min(error.retryAfterMs, MOST_PATIENCE_MS), signal);
    }
  }
}

function takeReadable(
  kind: ScannedKind,
  object: JsonObject,
  take: Listing['take'],
  wrong: Map<string, UnreadableListed>,
): void {
  try {
    take(kind, object);
  } catch (error) {
    if (!(error instanceof UnreadableObjectError)) throw error;
    const name = nameIn(object);
    wrong.set(name, { kind, name, because: error.message });
  }
}

/** Its metadata may be what cannot be read. */
function nameIn({ metadata }: JsonObject): string {
  const { namespace, name } = isObject(metadata) ? metadata : {};
  return [namespace, name].filter((part) => typeof part === 'string').join('/');
}
