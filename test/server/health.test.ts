import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { createLog } from '../../src/log.ts';
import { buildHealthServer, type Condition, type HealthDeps } from '../../src/server/health.ts';

const ready: Condition = { name: 'certificate', ready: true };
const unready: Condition = { name: 'cluster-state', ready: false, because: 'nodes have not synced' };

test('a process that runs is live, ready or not', async (t) => {
  const get = await start(t, { conditions: () => [unready] });
  assert.equal((await get('/livez')).status, 200);
});

test('the server is ready when every condition is', async (t) => {
  const get = await start(t, { conditions: () => [ready] });
  assert.deepEqual(await get('/readyz'), { status: 200, body: '[+]certificate ok\nreadyz check passed\n' });
});

test('the answer lists the reasons while a condition is not', async (t) => {
  const get = await start(t, { conditions: () => [ready, unready] });
  assert.deepEqual(await get('/readyz?verbose'), {
    status: 503,
    body: '[+]certificate ok\n[-]cluster-state not ready: nodes have not synced\nreadyz check failed\n',
  });
});

test('what does not hold reviews back is told beside', async (t) => {
  const stale: Condition = { name: 'cluster-state', ready: true, but: 'stale: nodes (130 s)' };
  const get = await start(t, { conditions: () => [stale] });
  const body = '[+]cluster-state ok, but stale: nodes (130 s)\nreadyz check passed\n';
  assert.deepEqual(await get('/readyz'), { status: 200, body });
});

test('conditions are asked at every probe', async (t) => {
  let conditions: readonly Condition[] = [unready];
  const get = await start(t, { conditions: () => conditions });
  assert.equal((await get('/readyz')).status, 503);
  conditions = [ready];
  assert.equal((await get('/readyz')).status, 200);
});

test('metrics are those that were passed in, as the scrape accepts them', async (t) => {
  const get = await start(t, { metrics: async (accept) => ({ contentType: 'text/plain', text: `as ${accept}` }) });
  assert.equal((await get('/metrics', 'text/html')).body, 'as text/html');
});

test('metrics that cannot be collected are an error, and the process goes on', async (t) => {
  const get = await start(t, { metrics: () => Promise.reject(new Error('no numbers')) });
  assert.equal((await get('/metrics')).status, 500);
  assert.equal((await get('/livez')).status, 200);
});

test('nothing else is there', async (t) => {
  const get = await start(t, {});
  assert.equal((await get('/validate')).status, 404);
});

async function start(t: TestContext, deps: Partial<HealthDeps>) {
  const log = createLog('error', new PassThrough());
  const metrics = async () => ({ contentType: 'text/plain', text: '' });
  const server = buildHealthServer({ conditions: () => [], metrics, log, ...deps });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  const base = `http://127.0.0.1:${address.port}`;
  return async (path: string, accept = '*/*') => {
    const response = await fetch(base + path, { headers: { connection: 'close', accept } });
    return { status: response.status, body: await response.text() };
  };
}
