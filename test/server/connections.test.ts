import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { Admission, Admitted } from '../../src/admission/admission.ts';
import { SHIPPED_LIMITS } from '../../src/server/limits.ts';
import { postJson } from './https-client.ts';
import { type HttpsServer, startServer } from './https-server.ts';

const admitted = {
  review: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: 'u1', allowed: true } },
  observation: { webhook: 'validate', verdict: 'allow', findings: [], mutations: [] },
} as unknown as Admitted;

const admitting: Admission = { validate: async () => admitted, mutate: async () => admitted };

/** A server that takes four connections. */
function four(t: TestContext, admission = admitting): Promise<HttpsServer> {
  return startServer(t, admission, { limits: { ...SHIPPED_LIMITS, connections: 4 } });
}

/** What a sender does that never gets as far as a review. */
const strangers: Readonly<Record<string, (server: HttpsServer) => Promise<Socket>>> = {
  'that never begin TLS': async ({ app, client }) => {
    const accepted = once(app.server, 'connection');
    const socket = connectPlain(Number(client.port), String(client.host));
    await accepted;
    return socket;
  },
  'that send nothing': secured,
  'that send half a header': async (server) => written(await secured(server), 'POST /validate HTTP/1.1\r\n'),
  'that send half a body': async (server) => written(await secured(server), `${HEAD}{`),
  'that are idle after a request': async (server) => {
    const socket = written(await secured(server), `${HEAD}{}`);
    await once(socket, 'data');
    return socket;
  },
};

const HEAD = 'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n';

async function secured({ client }: HttpsServer): Promise<Socket> {
  const socket = connect({ host: String(client.host), port: Number(client.port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

function written(socket: Socket, text: string): Socket {
  socket.write(text);
  return socket;
}

for (const [which, make] of Object.entries(strangers)) {
  test(`a review gets in while there are as many connections ${which} as there may be, the oldest of which goes`, async (t) => {
    const server = await four(t);
    const gone: number[] = [];
    for (let n = 0; n < 4; n++) {
      const socket = await make(server);
      socket.on('error', () => {}).once('close', () => gone.push(n));
    }
    assert.equal((await postJson(server.client, '/validate', {})).status, 200);
    while (gone.length === 0) await setImmediate();
    assert.deepEqual(gone, [0]);
    assert.deepEqual(server.cutOff, ['connection']);
  });
}

test('a connection that waits for an answer stays, however many come', async (t) => {
  const inside = Promise.withResolvers<void>();
  const held = Promise.withResolvers<Admitted>();
  const mutate = () => {
    inside.resolve();
    return held.promise;
  };
  const server = await four(t, { ...admitting, mutate });
  const answer = postJson(server.client, '/mutate', {});
  await inside.promise;
  for (let n = 0; n < 20; n++) (await secured(server)).on('error', () => {});
  held.resolve(admitted);
  assert.equal((await answer).status, 200);
  assert.equal(server.cutOff.length, 17);
});

test('a connection that is used again and again stays', async (t) => {
  const server = await four(t);
  const used = await secured(server);
  for (let n = 0; n < 10; n++) {
    written(used, `${HEAD}{}`);
    await once(used, 'data');
    (await secured(server)).on('error', () => {});
  }
  assert.equal(used.destroyed, false);
});
