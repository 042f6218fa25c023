import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { folderFor } from '../program.ts';

/** A server that ends with the test at the latest, and the kubeconfig that leads to it. */
export interface ServedApi {
  readonly kubeconfig: string;
  close(): void;
}

export async function servedApi(
  t: TestContext,
  listener: RequestListener,
  kubeconfigFor: (server: string) => object,
): Promise<ServedApi> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  t.after(close);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  const kubeconfig = join(await folderFor(t), 'kubeconfig');
  await writeFile(kubeconfig, JSON.stringify(kubeconfigFor(`http://127.0.0.1:${address.port}`)));
  return { kubeconfig, close };
}
