/** An API server that has nothing but the lists of a large cluster, page by page. Tells its port to the process that started it. */
import { createServer } from 'node:http';
import { LARGE_CLUSTER } from './large-cluster.ts';

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const list = LARGE_CLUSTER.get(pathname);
  if (list === undefined) {
    response.writeHead(404).end('{}');
    return;
  }
  const start = Number(searchParams.get('continue') ?? 0);
  const end = Math.min(list.count, start + Number(searchParams.get('limit')));
  const items = Array.from({ length: end - start }, (_, n) => list.object(start + n));
  const metadata = { resourceVersion: '1', continue: end < list.count ? String(end) : '' };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata, items }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
