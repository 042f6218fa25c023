import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { type CertificatesApi, kubernetesApi } from '../../certs/index.ts';

const secret = { namespace: 'rwo-guard', name: 'rwo-guard-tls' };

async function answering(t: TestContext, answer: (response: ServerResponse) => void): Promise<CertificatesApi> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: 'test', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
    { name: 'nobody' },
  );
  return kubernetesApi(kubeConfig);
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

test("the API server's clock counts once it has answered, where it differs by more than a minute", async (t) => {
  let aheadBy = 0;
  const api = await answering(t, (response) => {
    response.setHeader('date', new Date(Date.now() + aheadBy).toUTCString());
    json(response, 404, {});
  });
  assert.equal(api.clockAheadBy(), 0);
  for (const [given, expected] of [
    [50_000, 0],
    [7_200_000, 7_200_000],
    [-7_200_000, -7_200_000],
  ] as const) {
    aheadBy = given;
    await api.getSecret(secret);
    assert.ok(Math.abs(api.clockAheadBy() - expected) < 60_000);
    assert.equal(api.clockAheadBy() === 0, expected === 0);
  }
});

test('an answer without a date says nothing about the clock', async (t) => {
  const api = await answering(t, (response) => {
    response.sendDate = false;
    json(response, 404, {});
  });
  await api.getSecret(secret);
  assert.equal(api.clockAheadBy(), 0);
});

test('who is refused is told what the API server said', async (t) => {
  const message = 'secrets "rwo-guard-tls" is forbidden: namespace rwo-guard is being terminated';
  const api = await answering(t, (response) => json(response, 403, { kind: 'Status', message }));
  await assert.rejects(api.createSecret(secret, {}), {
    code: 'API_REFUSED',
    message: `the API server does not let us create Secret rwo-guard/rwo-guard-tls: compare our roles with manifests/ (${message})`,
  });
});

test('an answer that nobody expected is told with its status, whoever gave it', async (t) => {
  const api = await answering(t, (response) => response.writeHead(503).end('no upstream'));
  await assert.rejects(api.getSecret(secret), {
    code: 'API_FAILED',
    message: 'could not get Secret rwo-guard/rwo-guard-tls: the API server answered 503',
  });
});
