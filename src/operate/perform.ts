import { ApiError } from '../cluster/api-error.ts';
import type { ApiConnection, ApiWriter, Sent } from '../cluster/connection.ts';
import { type JsonObject, listAt, objectAt, stringAt } from '../objects/json.ts';
import { BOOT_ID_ANNOTATION, isOutOfService, nodeStatusFrom, OUT_OF_SERVICE } from '../objects/node-status.ts';
import { type Action, type PodRef, pluralOf, startPatch, stopPatch } from '../recovery/action.ts';
import { printedRecord, RECOVERY, REPLICAS_BEFORE, type Stopped } from '../recovery/record.ts';
import { savedPod } from '../recovery/saved-pod.ts';

/** What writes need. */
export interface Hands {
  readonly connection: ApiConnection & ApiWriter;
  readonly signal: AbortSignal;
  /** Whether the API server only says what it would do. */
  readonly dryRun: boolean;
}

/** What became of a write. After a conflict what is there has to be read again, and the step decided anew. */
export type Written =
  | { readonly type: 'written'; readonly warnings: readonly string[] }
  | { readonly type: 'conflict' }
  | { readonly type: 'refused'; readonly because: string };

/** Annotations of one object take 256 KiB together (`apimachinery/pkg/api/validation/objectmeta.go:TotalAnnotationSizeLimitB`); this leaves some to others. */
const MOST_NOTED = 200 * 1024;

/** Does one write. Rejects only where the API server cannot be reached. */
export async function perform(hands: Hands, action: Action): Promise<Written> {
  switch (action.type) {
    case 'record': {
      const { claim, record, plainPods } = action;
      const manifests = await Promise.all(plainPods.map((pod) => manifestOf(hands, pod)));
      const text = printedRecord({
        ...record,
        pods: [...record.pods, ...manifests.filter((one) => one !== undefined)],
      });
      if (text.length > MOST_NOTED)
        return { type: 'refused', because: 'the manifests of its plain pods are too large to be kept in a note' };
      return patch(hands, claimPath(claim), { metadata: { annotations: { [RECOVERY]: text } } });
    }
    case 'stop': {
      const { target, resourceVersion } = action;
      return patch(hands, pathOf(target), withMetadata(stopPatch(target), { resourceVersion, uid: target.uid }));
    }
    case 'start':
      return patch(hands, pathOf(action.target), withMetadata(startPatch(action.target), { uid: action.target.uid }));
    case 'forget': {
      const metadata = { uid: action.target.uid, annotations: { [REPLICAS_BEFORE]: null } };
      return patch(hands, pathOf(action.target), { metadata });
    }
    case 'close':
      return patch(hands, claimPath(action.claim), { metadata: { annotations: { [RECOVERY]: null } } });
    case 'delete-pod':
      return remove(hands, podPath(action.pod), { preconditions: { uid: action.pod.uid } });
    case 'make-pod': {
      const path = `/api/v1/namespaces/${encodeURIComponent(action.pod.namespace)}/pods`;
      return outcomeOf(await send(hands, 'POST', path, action.manifest));
    }
    case 'out-of-service':
      return declareOutOfService(hands, action.node);
    case 'delete-attachment':
      return removeStale(hands, action.name, action.node);
    default:
      return action satisfies never;
  }
}

/** Asks the node once more, and writes only if nothing about it has changed since: a taint on a node that is Ready takes volumes off that are in use. */
async function declareOutOfService(hands: Hands, name: string): Promise<Written> {
  const path = `/api/v1/nodes/${encodeURIComponent(name)}`;
  const object = await hands.connection.request(path, {}, { signal: hands.signal });
  const node = nodeStatusFrom(object);
  if (node.ready === 'True') return { type: 'refused', because: `node ${name} is Ready again` };
  if (isOutOfService(node)) return { type: 'conflict' };
  const taints = [
    ...listAt(objectAt(object, 'spec'), 'taints'),
    { key: OUT_OF_SERVICE, value: 'nodeshutdown', effect: 'NoExecute' },
  ];
  const noted = node.bootId === undefined ? {} : { annotations: { [BOOT_ID_ANNOTATION]: node.bootId } };
  const resourceVersion = stringAt(objectAt(object, 'metadata'), 'resourceVersion');
  return patch(hands, path, { metadata: { resourceVersion, ...noted }, spec: { taints } });
}

/** Asks once more whether the node is really not there: the lists are read beside each other, and a node may be new. */
async function removeStale(hands: Hands, attachment: string, node: string): Promise<Written> {
  const { status } = await send({ ...hands, dryRun: false }, 'GET', `/api/v1/nodes/${encodeURIComponent(node)}`);
  if (status === 200) return { type: 'refused', because: `node ${node} is there` };
  if (status !== 404) return { type: 'refused', because: `whether node ${node} is there was answered ${status}` };
  return remove(hands, `/apis/storage.k8s.io/v1/volumeattachments/${encodeURIComponent(attachment)}`, {});
}

async function manifestOf({ connection, signal }: Hands, pod: PodRef): Promise<JsonObject | undefined> {
  try {
    return savedPod(await connection.request(podPath(pod), {}, { signal }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function withMetadata(body: object, metadata: object): object {
  const given = 'metadata' in body && typeof body.metadata === 'object' ? body.metadata : {};
  return { ...body, metadata: { ...given, ...metadata } };
}

async function patch(hands: Hands, path: string, body: object): Promise<Written> {
  return outcomeOf(await send(hands, 'PATCH', path, body, 'application/merge-patch+json'));
}

async function remove(hands: Hands, path: string, options: object): Promise<Written> {
  const sent = await send(hands, 'DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', ...options });
  return sent.status === 404 ? { type: 'written', warnings: [] } : outcomeOf(sent);
}

function send(
  { connection, signal, dryRun }: Hands,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  contentType = 'application/json',
): Promise<Sent> {
  return connection.send(method, path, body, { signal, contentType, query: dryRun ? { dryRun: 'All' } : {} });
}

/** An object that is not there any more, too, is read again. */
function outcomeOf({ status, warnings, body }: Sent): Written {
  if (status < 300) return { type: 'written', warnings };
  if (status === 404 || status === 409) return { type: 'conflict' };
  return { type: 'refused', because: stringAt(body, 'message') ?? `the API server answered ${status}` };
}

function pathOf({ apiVersion, kind, namespace, name }: Stopped): string {
  return `/apis/${apiVersion}/namespaces/${encodeURIComponent(namespace)}/${pluralOf(kind)}/${encodeURIComponent(name)}`;
}

function podPath({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
}

function claimPath({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/persistentvolumeclaims/${encodeURIComponent(name)}`;
}
