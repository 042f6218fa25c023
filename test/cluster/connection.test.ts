import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { KubeConnection } from '../../src/cluster/connection.ts';
import { loadKubeConfig } from '../../src/cluster/kube-config.ts';
import { type CertificateAuthority, createCertificateAuthority } from '../control-plane/certificate-authority.ts';
import { kubeconfig } from '../control-plane/kubeconfig.ts';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

const { signal } = new AbortController();
const authority = createCertificateAuthority();
const NAMES = { dns: ['localhost'], ips: ['127.0.0.1'] };

/** Listens until the test is over, and counts the connections that were made. */
async function listening(t: TestContext, server: Server & { closeAllConnections(): void }) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function tlsServer(t: TestContext, respond: Respond, signer: CertificateAuthority = authority) {
  const { certificate, key } = signer.servingCertificate(NAMES);
  const server = createServer({ cert: certificate, key }, respond);
  const counted = { connections: 0 };
  server.on('secureConnection', () => counted.connections++);
  const url = `https://127.0.0.1:${await listening(t, server)}`;
  return { url, server, counted };
}

async function plainServer(t: TestContext, respond: Respond): Promise<string> {
  return `http://127.0.0.1:${await listening(t, createPlainServer(respond))}`;
}

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

function connected(t: TestContext, load: () => KubeConfig, silentAfterMs?: number): KubeConnection {
  const connection = new KubeConnection({ load, ...(silentAfterMs !== undefined && { silentAfterMs }) });
  t.after(() => connection.close());
  return connection;
}

/** A kubeconfig that is nothing but a server, and what is given. */
function configFor(server: string, user: object = {}, cluster: object = {}): () => KubeConfig {
  return () => {
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: 'test', server, skipTLSVerify: server.startsWith('http:'), ...cluster }],
      users: [{ name: 'test', ...user }],
      contexts: [{ name: 'test', cluster: 'test', user: 'test' }],
      currentContext: 'test',
    });
    return config;
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const trusting = { caData: base64(authority.certificate) };

test('what is sent arrives whole, and its answer comes back with the warnings, whatever the status', async (t) => {
  const arrived: string[] = [];
  const url = await plainServer(t, (request, response) => {
    const { method, url: path, headers } = request;
    arrived.push(`${method} ${path} ${headers['content-type']}`);
    response.statusCode = 422;
    response.setHeader('warning', ['299 - "a \\"b\\""', '299 - "c"']);
    request.pipe(response);
  });
  const options = { signal, query: { dryRun: 'All' }, contentType: 'application/merge-patch+json' };
  const sent = await connected(t, configFor(url)).send('PATCH', '/api/v1/x', { a: 1 }, options);
  assert.deepEqual(sent, { status: 422, warnings: ['a "b"', 'c'], body: { a: 1 } });
  assert.deepEqual(arrived, ['PATCH /api/v1/x?dryRun=All application/merge-patch+json']);
});

test('what is sent and never answered takes no turn of what is asked for', async (t) => {
  const url = await plainServer(t, ({ method }, response) => {
    if (method === 'GET') response.end('{}');
  });
  const connection = connected(t, configFor(url));
  const leaving = new AbortController();
  const sent = Array.from({ length: 20 }, () => connection.send('POST', '/api', {}, { signal: leaving.signal }));
  await connection.request('/api', {}, { signal });
  leaving.abort();
  await assert.rejects(Promise.all(sent), { name: 'AbortError' });
});

test('a connection is kept for many requests', async (t) => {
  const { url, counted } = await tlsServer(t, (_request, response) => response.end('{}'));
  const connection = connected(t, configFor(url, {}, trusting));
  for (let count = 0; count < 20; count++) await connection.request('/api', {}, { signal });
  assert.ok(counted.connections <= 2, `${counted.connections} connections`); // undici may open a second before the first is free
});

test('a connection asks below the path of the server, with the query written out', async (t) => {
  const url = await plainServer(t, ({ url }, response) => response.end(JSON.stringify({ url })));
  const connection = connected(t, configFor(`${url}/k8s/clusters/one/`));
  const { url: asked } = await connection.request('/api/v1/nodes', { limit: '250', continue: 'a b&c' }, { signal });
  assert.equal(asked, '/k8s/clusters/one/api/v1/nodes?limit=250&continue=a+b%26c');
});

test('a connection does not talk to a server that another authority vouches for', async (t) => {
  let asked = 0;
  const { url } = await tlsServer(t, () => asked++, createCertificateAuthority());
  const connection = connected(t, configFor(url, { token: 'secret' }, trusting));
  await assert.rejects(connection.request('/api', {}, { signal }), {
    code: /SELF_SIGNED|UNABLE_TO_VERIFY|CERT_SIGNATURE/,
  });
  assert.equal(asked, 0);
});

for (const [what, user, header, value] of [
  ['a token', { token: 'secret' }, 'authorization', 'Bearer secret'],
  ['a user and a password', { username: 'jane', password: 'pass' }, 'authorization', `Basic ${base64('jane:pass')}`],
  ['somebody to act as', { token: 'secret', impersonateUser: 'joe' }, 'impersonate-user', 'joe'],
] as const) {
  test(`a connection sends ${what}`, async (t) => {
    const url = await plainServer(t, ({ headers }, response) => response.end(JSON.stringify(headers)));
    const headers = await connected(t, configFor(url, user)).request('/api', {}, { signal });
    assert.equal(headers[header], value);
  });
}

test('a connection shows its client certificate', async (t) => {
  const { certificate, key } = authority.servingCertificate(NAMES);
  const options = { cert: certificate, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
  const server = createServer(options, (_request, response) => response.end('{}'));
  const url = `https://127.0.0.1:${await listening(t, server)}`;
  const jane = authority.clientCertificate({ user: 'jane' });
  const user = { certData: base64(jane.certificate), keyData: base64(jane.key) };
  await connected(t, configFor(url, user, trusting)).request('/api', {}, { signal });
  await assert.rejects(connected(t, configFor(url, {}, trusting)).request('/api', {}, { signal }));
});

test('a connection goes through the proxy of its cluster', async (t) => {
  const { url } = await tlsServer(t, (_request, response) => response.end('{}'));
  const tunnels: unknown[] = [];
  const proxy = createPlainServer().on('connect', ({ url: target }, socket) => {
    tunnels.push(target);
    const onward = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    t.after(() => onward.destroy());
  });
  const proxyUrl = `http://127.0.0.1:${await listening(t, proxy)}`;
  await connected(t, configFor(url, {}, { ...trusting, proxyUrl })).request('/api', {}, { signal });
  assert.deepEqual(tunnels, [new URL(url).host]);
});

test('a token that is not taken any more is read again from its file', async (t) => {
  let valid = 'first';
  const url = await plainServer(t, ({ headers }, response) => {
    response.statusCode = headers.authorization === `Bearer ${valid}` ? 200 : 401;
    response.end('{}');
  });
  const path = await folder(t);
  await writeFile(join(path, 'token'), 'first\n');
  const file = join(path, 'kubeconfig');
  await writeFile(file, kubeconfig({ server: url, certificateAuthority: '' }, { tokenFile: 'token' }));
  const connection = connected(t, () => loadKubeConfig({ kubeconfig: file }));
  await connection.request('/api', {}, { signal });

  valid = 'second';
  await assert.rejects(connection.request('/api', {}, { signal }), { code: 'HTTP_401' });
  await writeFile(join(path, 'token'), 'second\n');
  await connection.request('/api', {}, { signal });
});

test('an exec plugin is run once for many requests, and again when its token is not taken any more', async (t) => {
  let valid = 1;
  const url = await plainServer(t, ({ headers }, response) => {
    response.statusCode = headers.authorization === `Bearer ${valid}` ? 200 : 401;
    response.end('{}');
  });
  const runs = join(await folder(t), 'runs');
  const script = `
    const { appendFileSync, readFileSync } = require('node:fs');
    appendFileSync(${JSON.stringify(runs)}, 'x');
    const token = String(readFileSync(${JSON.stringify(runs)}).length);
    console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }));
  `;
  const connection = connected(t, configFor(url, { exec: { command: process.execPath, args: ['-e', script] } }));
  const ask = () => connection.request('/api', {}, { signal });
  await Promise.all([ask(), ask(), ask()]);
  await ask();
  assert.equal(await readFile(runs, 'utf8'), 'x');
  valid = 2;
  await Promise.all([ask(), ask()]);
  assert.equal(await readFile(runs, 'utf8'), 'xx');
});

test('a CA file that changes is trusted from the next request on', async (t) => {
  const renewed = createCertificateAuthority();
  const { url, server } = await tlsServer(t, (_request, response) => response.end('{}'));
  const caFile = join(await folder(t), 'ca.crt');
  await writeFile(caFile, authority.certificate);
  const connection = connected(t, configFor(url, {}, { caFile }));
  await connection.request('/api', {}, { signal });

  const { certificate, key } = renewed.servingCertificate(NAMES);
  server.setSecureContext({ cert: certificate, key });
  server.closeAllConnections();
  await assert.rejects(connection.request('/api', {}, { signal }));
  await writeFile(caFile, renewed.certificate);
  await connection.request('/api', {}, { signal });
});

test('a refusal carries the status, the words of the API server and how long to wait', async (t) => {
  const url = await plainServer(t, (_request, response) => {
    response.writeHead(429, { 'retry-after': '3' });
    response.end(JSON.stringify({ kind: 'Status', message: 'too many requests' }));
  });
  await assert.rejects(connected(t, configFor(url)).request('/api/v1/nodes', {}, { signal }), {
    name: 'ApiError',
    code: 'HTTP_429',
    status: 429,
    retryAfterMs: 3_000,
    message: /^GET \/api\/v1\/nodes was answered 429: too many requests: /,
  });
});

test('an answer that is no JSON object is an error that tells what to check', async (t) => {
  const url = await plainServer(t, (_request, response) => response.end('<html>welcome</html>'));
  await assert.rejects(connected(t, configFor(url)).request('/api', {}, { signal }), {
    code: 'UNREADABLE_ANSWER',
    message: 'GET /api was answered with no JSON object: check that a Kubernetes API server is at this address',
  });
});

test('a stream brings bytes as they come, and notices a peer that has fallen silent', async (t) => {
  const url = await plainServer(t, (_request, response) => response.write('one\n'));
  const chunks = await connected(t, configFor(url), 200).stream('/api', { watch: 'true' }, { signal });
  const seen: string[] = [];
  await assert.rejects(
    async () => {
      for await (const chunk of chunks) seen.push(Buffer.from(chunk).toString());
    },
    { code: 'UND_ERR_BODY_TIMEOUT' },
  );
  assert.deepEqual(seen, ['one\n']);
});

test('a stream that is aborted ends at once', async (t) => {
  const url = await plainServer(t, (_request, response) => response.write('one\n'));
  const stopping = new AbortController();
  const chunks = await connected(t, configFor(url)).stream('/api', {}, { signal: stopping.signal });
  await assert.rejects(
    async () => {
      for await (const _chunk of chunks) stopping.abort();
    },
    { name: 'AbortError' },
  );
});

test('a request ends with its signal even while an exec plugin waits for somebody', async (t) => {
  const url = await plainServer(t, (_request, response) => response.end('{}'));
  const args = ['-e', 'setTimeout(() => {}, 500)'];
  const connection = connected(t, configFor(url, { exec: { command: process.execPath, args } }));
  const stopping = new AbortController();
  const asking = connection.request('/api', {}, { signal: stopping.signal });
  stopping.abort();
  await assert.rejects(asking, { name: 'AbortError' });
});
