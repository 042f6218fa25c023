import { type Fact, known, unknown } from '../objects/fact.ts';
import { objectAt, objectsAt, stringAt } from '../objects/json.ts';
import { type NodeStatus, nodeStatusFrom } from '../objects/node-status.ts';
import { isObjectName } from '../objects/object-key.ts';
import { type Pod, podFrom } from '../objects/pod.ts';
import { ApiError } from './api-error.ts';
import type { ApiConnection } from './connection.ts';
import { type LiveLookupOptions, reasonOf } from './live-lookup.ts';

/**
 * Pods of a page, and pages. A page is parsed at once, and a pod has up to 1.5 MB (etcd's `--max-request-bytes`). Together
 * they are the 110 pods that a kubelet takes (`maxPods`), and with its node and volume fewer than 16 look-ups.
 */
const PAGE_SIZE = 10;
const MOST_PAGES = 12;

/** Reads nodes and their pods from the API server, as they are now. The signals are deadlines. */
export function nodeReading({ connection, counted }: LiveLookupOptions) {
  return {
    node: (name: string, signal: AbortSignal) => read(`Node ${name}`, signal, () => nodeAt(name, connection, signal)),
    podsOn: (node: string, namespace: string, signal: AbortSignal) =>
      read(`pods on ${node}`, signal, () => podsAt(node, namespace, connection, signal)),
  };

  async function read<T>(what: string, signal: AbortSignal, ask: () => Promise<Fact<T>>): Promise<Fact<T>> {
    const found = await ask().catch((error: unknown) => unknown(`${what} ${reasonOf(error, signal)}`));
    counted('live', found.known ? (found.value === undefined ? 'absent' : 'found') : 'unknown');
    return found;
  }
}

async function nodeAt(
  name: string,
  connection: ApiConnection,
  signal: AbortSignal,
): Promise<Fact<NodeStatus | undefined>> {
  if (!isObjectName(name)) return known(undefined);
  try {
    return known(nodeStatusFrom(await connection.request(`/api/v1/nodes/${name}`, {}, { signal })));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return known(undefined);
    throw error;
  }
}

/** The API server finds them by an index (`pkg/registry/core/pod/strategy.go:NodeNameIndexFunc`). */
async function podsAt(
  node: string,
  namespace: string,
  connection: ApiConnection,
  signal: AbortSignal,
): Promise<Fact<readonly Pod[]>> {
  if (!isObjectName(node)) return known([]);
  const path = namespace === '' ? '/api/v1/pods' : `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const pods: Pod[] = [];
  let next: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { fieldSelector: `spec.nodeName=${node}`, limit: `${PAGE_SIZE}`, ...(next && { continue: next }) };
    const list = await connection.request(path, query, { signal });
    pods.push(...objectsAt(list, 'items').flatMap((pod) => podFrom(pod) ?? []));
    next = stringAt(objectAt(list, 'metadata'), 'continue') || undefined;
    if (next === undefined) return known(pods);
  }
  return unknown(`there are more than ${MOST_PAGES * PAGE_SIZE} pods on ${node}`);
}
