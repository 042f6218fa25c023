import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import type { ControlPlane } from '../control-plane/control-plane.ts';

/** Stands between a client and the API server, and counts what the client writes. */
export interface KillingProxy {
  readonly kubeconfig: string;
  /** Method and path of each write that the API server has done since the last time somebody asked. */
  take(): readonly string[];
  /** Has that done after this many more writes, each of which is done then and answered to nobody. */
  killAt(writes: number, kill: () => void): void;
  close(): Promise<void>;
}

export async function startKillingProxy(cluster: ControlPlane): Promise<KillingProxy> {
  const dispatcher = new Agent({ connect: { ca: cluster.certificateAuthority } });
  const { users } = parse(await readFile(cluster.adminKubeconfig, 'utf8')) as { users: { user: { token: string } }[] };
  let writes: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  let kill = () => {};
  const server = createServer(async (incoming, response) => {
    try {
      const { method = 'GET', url = '' } = incoming;
      const body = await buffer(incoming);
      const headers = {
        accept: 'application/json',
        'content-type': incoming.headers['content-type'] ?? '',
        authorization: `Bearer ${users[0]?.user.token}`,
      };
      const answer = await request(`${cluster.server}${url}`, {
        method: method as 'GET',
        dispatcher,
        headers,
        body: body.length > 0 ? body : null,
      });
      const text = await answer.body.text();
      const isWrite = method !== 'GET' && answer.statusCode < 300;
      if (isWrite) {
        writes.push(`${method} ${url}`);
        left--;
        if (left === 0) return void kill();
      }
      response.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(text);
    } catch {
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = join(cluster.folder, `proxy-${(server.address() as AddressInfo).port}.json`);
  await writeFile(kubeconfig, JSON.stringify(kubeconfigFor(url)));
  return {
    kubeconfig,
    take() {
      const taken = writes;
      writes = [];
      return taken;
    },
    killAt(count, does) {
      left = count;
      kill = does;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await dispatcher.destroy();
    },
  };
}

function kubeconfigFor(server: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'proxy',
    clusters: [{ name: 'proxy', cluster: { server } }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy' } }],
    users: [{ name: 'proxy', user: {} }],
  };
}
