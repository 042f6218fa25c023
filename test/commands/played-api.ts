import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { isObject, type JsonObject, objectAt, stringAt } from '../../src/objects/json.ts';
import { INVENTORY_LISTS, isInventoryList } from '../../src/recovery/inventory.ts';
import { listOf, nameOf } from '../recovery/scene.ts';
import { merged } from '../recovery/simulated.ts';
import { servedApi } from './served-api.ts';

/** An API server of a few objects, which serves lists, single objects, merge patches and deletions. */
export interface PlayedApi {
  readonly kubeconfig: string;
  /** Method and path of every write, with the query. */
  readonly writes: readonly string[];
  readonly objects: () => readonly JsonObject[];
  /** Whoever asks for this list, or writes to it, is refused. */
  refuse(list: string): void;
}

/** `settle` is what controllers do after each write. */
export async function playedApi(
  t: TestContext,
  start: readonly JsonObject[],
  settle: (objects: readonly JsonObject[]) => readonly JsonObject[] = (objects) => objects,
): Promise<PlayedApi> {
  let objects = start;
  const writes: string[] = [];
  const refused = new Set<string>();
  const answer = async (method: string, url: URL, body: () => Promise<unknown>): Promise<[number, object]> => {
    const parts = url.pathname.split('/').slice(url.pathname.startsWith('/api/') ? 3 : 4);
    const namespace = parts[0] === 'namespaces' ? parts[1] : undefined;
    const [list = '', name] = namespace === undefined ? parts : parts.slice(2);
    if (parts.length === 0) return [200, { resources: [{ name: 'databases', kind: 'Database', namespaced: true }] }];
    if (refused.has(list)) return [403, { message: 'forbidden' }];
    const isIt = (one: JsonObject): boolean => {
      const home = stringAt(objectAt(one, 'metadata'), 'namespace');
      return (
        (listOf(one) ?? `${String(one.kind).toLowerCase()}s`) === list &&
        (namespace === undefined || home === namespace) &&
        (name === undefined || nameOf(one) === name)
      );
    };
    if (name === undefined && method === 'GET') {
      return isInventoryList(list) && INVENTORY_LISTS[list]
        ? [200, { metadata: {}, items: objects.filter(isIt) }]
        : [404, {}];
    }
    const found = objects.find(isIt);
    if (found === undefined) return [404, { message: 'not found' }];
    if (method === 'GET') return [200, found];
    writes.push(`${method} ${url.pathname}${url.search}`);
    const patch = await body();
    const next = method === 'DELETE' ? undefined : merged(found, patch);
    const isDry = url.searchParams.has('dryRun');
    if (!isDry) objects = settle(objects.flatMap((one) => (one === found ? (isObject(next) ? [next] : []) : [one])));
    return [200, isObject(next) ? next : found];
  };
  const { kubeconfig } = await servedApi(
    t,
    (request, response) => {
      answer(request.method ?? '', new URL(request.url ?? '', 'http://api'), () => json(request)).then(
        ([status, body]) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        (error: unknown) => response.destroy(new Error(String(error))),
      );
    },
    kubeconfigFor,
  );
  return { kubeconfig, writes, objects: () => objects, refuse: (list) => void refused.add(list) };
}

function kubeconfigFor(server: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'played',
    clusters: [{ name: 'played', cluster: { server } }],
    contexts: [
      { name: 'played', context: { cluster: 'played', user: 'nobody', namespace: 'shop' } },
      { name: 'elsewhere', context: { cluster: 'played', user: 'nobody', namespace: 'elsewhere' } },
    ],
    users: [{ name: 'nobody', user: {} }],
  };
}
