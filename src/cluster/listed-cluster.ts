import { type JsonObject, UnreadableObjectError } from '../objects/json.ts';
import { ALL_KINDS, KINDS, type Kind } from '../objects/kinds.ts';
import { ApiError } from './api-error.ts';
import { listPath } from './api-resource.ts';
import type { ApiConnection } from './connection.ts';
import { listPages } from './list-pages.ts';

/** What is read of a cluster once. */
export interface Listing {
  readonly connection: ApiConnection;
  /** Where namespaced kinds are read if they may not be read in all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Takes what is kept of an object. What it throws as unreadable is noted, and the object left out. */
  readonly take: (kind: Kind | 'Pod', object: JsonObject) => void;
}

/** A list that was refused, or read in one namespace only. */
export interface NotListed {
  readonly list: string;
  readonly because: string;
  /** Whether the objects of the namespace were read. */
  readonly isInNamespace: boolean;
}

export interface Listed {
  readonly missing: readonly NotListed[];
  readonly unreadable: readonly string[];
}

/** Not all pods: those that have ended hold no volumes. */
const PODS = {
  kind: 'Pod',
  list: 'pods',
  path: '/api/v1/pods',
  query: { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' },
} as const;

/**
 * Reads every list of a cluster, page by page and all of them at once. Rejects where the API server cannot be reached, or
 * answers with anything but a list or a refusal.
 */
export async function listCluster(listing: Listing): Promise<Listed> {
  const unreadable: string[] = [];
  const lists: readonly List[] = [...ALL_KINDS.map(ofKind), PODS];
  const missing = await Promise.all(lists.map((list) => readList(list, listing, unreadable)));
  return { missing: missing.filter((one) => one !== undefined), unreadable };
}

interface List {
  readonly kind: Kind | 'Pod';
  readonly list: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

function ofKind(kind: Kind): List {
  return { kind, list: KINDS[kind].list, path: listPath(kind) };
}

async function readList(list: List, listing: Listing, unreadable: string[]): Promise<NotListed | undefined> {
  const refusal = await tried(list, list.path, listing, unreadable);
  if (refusal === undefined) return undefined;
  const because = `permission missing (list ${list.list})`;
  const { namespace } = listing;
  const isNamespaced = list.kind === 'Pod' || KINDS[list.kind].namespaced;
  if (namespace === undefined || !isNamespaced) return { list: list.list, because, isInNamespace: false };
  const within = `${list.path.slice(0, -list.list.length)}namespaces/${encodeURIComponent(namespace)}/${list.list}`;
  const refused = await tried(list, within, listing, unreadable);
  return { list: list.list, because, isInNamespace: refused === undefined };
}

/** An API server forgets a list half way after five minutes; then another one begins. */
const MOST_ATTEMPTS = 3;

/** Nothing where all was read, and else the refusal. */
async function tried(
  { kind, query = {} }: List,
  path: string,
  { connection, signal, take }: Listing,
  unreadable: string[],
): Promise<ApiError | undefined> {
  const onObject = (object: JsonObject): void => {
    try {
      take(kind, object);
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      unreadable.push(`${kind}: ${error.message}`);
    }
  };
  for (let attempt = 1; ; attempt++) {
    try {
      await listPages(connection, path, onObject, signal, query);
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.refused) return error;
      if (!error.expired || attempt >= MOST_ATTEMPTS) throw error;
    }
  }
}
