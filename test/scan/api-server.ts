import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { TestContext } from 'node:test';
import { listPath } from '../../src/cluster/api-resource.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { isKind } from '../../src/objects/kinds.ts';
import { filesFor } from '../lint/linted.ts';

/** What an API server answers to a list: a status, or `hang` for nothing at all. */
export type Answers = (path: string) => number | 'hang';

/** The kubeconfig of an API server that lists these objects, each page whole. */
export async function kubeconfigFor(
  t: TestContext,
  objects: readonly JsonObject[],
  answers: Answers = () => 200,
): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const answer = answers(pathname);
    if (answer === 'hang') return;
    const items = objects.filter((object) => pathOf(object, pathname));
    response.writeHead(answer, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer === 200 ? { metadata: { resourceVersion: '1' }, items } : { message: 'no' }));
  });
  const port = await portOf(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const kubeconfig = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'small' },
    clusters: [{ name: 'small', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'reader', user: { token: 'reader' } }],
    contexts: [{ name: 'small', context: { cluster: 'small', user: 'reader' } }],
  };
  return `${await filesFor(t, { kubeconfig: JSON.stringify(kubeconfig) })}/kubeconfig`;
}

/** Whether the object is in the list: of all namespaces, or of its own. */
function pathOf({ kind, metadata }: JsonObject, pathname: string): boolean {
  const { namespace } = metadata as { namespace?: string };
  const all = isKind(kind)
    ? listPath(kind)
    : kind === 'Pod'
      ? '/api/v1/pods'
      : '/apis/storage.k8s.io/v1/volumeattachments';
  return pathname === all || pathname === all.replace(/\/([a-z]+)$/, `/namespaces/${namespace}/$1`);
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
