import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { servedApi } from './served-api.ts';

/** An API server with nothing in it. Its lists are empty, its watches silent, and a Secret can be made. */
export interface EmptyCluster {
  readonly kubeconfig: string;
  /** Method and path of every request. */
  readonly requests: readonly string[];
  /** From now on lists are answered with this status. */
  refuseLists(status: number): void;
  /** It goes away. */
  close(): void;
}

export async function emptyCluster(t: TestContext): Promise<EmptyCluster> {
  const requests: string[] = [];
  let listStatus = 200;
  const { kubeconfig, close } = await servedApi(
    t,
    (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      respond(request, response, listStatus).catch((error: unknown) => response.destroy(new Error(String(error))));
    },
    kubeconfigFor,
  );
  return {
    kubeconfig,
    requests,
    close,
    refuseLists(status) {
      listStatus = status;
    },
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, listStatus: number): Promise<void> {
  const { method = '', url = '' } = request;
  const answer = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (method === 'POST') return answer(201, JSON.parse(await text(request)));
  if (/secrets|webhookconfigurations/.test(url)) return answer(404, status(404));
  if (url.includes('watch=true'))
    return void response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  if (listStatus !== 200) return answer(listStatus, status(listStatus));
  return answer(200, { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
}

function status(code: number): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: `answered ${code}` };
}

export function kubeconfigFor(server: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'empty',
    clusters: [{ name: 'empty', cluster: { server } }],
    contexts: [{ name: 'empty', context: { cluster: 'empty', user: 'nobody' } }],
    users: [{ name: 'nobody', user: {} }],
  };
}
