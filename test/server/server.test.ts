import assert from 'node:assert/strict';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import {
  type Admission,
  type Admitted,
  MalformedReviewError,
  type Observation,
} from '../../src/admission/admission.ts';
import { answerTo, keptConnection, post, postJson } from './https-client.ts';
import { startServer } from './https-server.ts';

const observation: Observation = {
  webhook: 'validate',
  uid: 'u1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  operation: 'CREATE',
  user: 'kim',
  dryRun: false,
  verdict: 'allow',
  findings: [],
  mutations: [],
  exempted: [],
  overBudget: false,
};

const admitted: Admitted = {
  review: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: 'u1', allowed: true } },
  observation,
};

/** Admits everything, and keeps what it was asked. */
function admitting(): Admission & { readonly bodies: unknown[] } {
  const bodies: unknown[] = [];
  const admit = async (body: unknown) => {
    bodies.push(body);
    return admitted;
  };
  return { bodies, validate: admit, mutate: admit };
}

/** Rejects everything for one reason. */
function failing(error: Error): Admission {
  const fail = () => Promise.reject(error);
  return { validate: fail, mutate: fail };
}

for (const door of ['validate', 'mutate'] as const) {
  test(`a review that is posted to /${door} is answered as that door decides`, async (t) => {
    const other: Admission = failing(new Error('the other door'));
    const { client } = await startServer(t, { ...other, [door]: async () => admitted });
    const { status, body } = await postJson(client, `/${door}?timeout=10s`, {});
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(body), admitted.review);
  });
}

test('each review is observed once and has one log line without any content of objects', async (t) => {
  const server = await startServer(t, admitting());
  await postJson(server.client, '/validate', { request: { object: { data: 'secret' } } });
  assert.deepEqual(server.observed, [observation]);
  const lines = server.logged();
  assert.deepEqual(
    lines.map(({ level, msg, uid, verdict }) => ({ level, msg, uid, verdict })),
    [{ level: 'info', msg: 'review answered', uid: 'u1', verdict: 'allow' }],
  );
  assert.doesNotMatch(JSON.stringify(lines), /secret/);
});

test('a denial is a warning, with its rules once each and with milliseconds that a person can read', async (t) => {
  const finding = { rule: 'rollout-deadlock', severity: 'error', outcome: 'denied' } as const;
  const exempted = [{ name: 'web', rules: ['claim-shared'], reason: 'we know' }];
  const findings = [finding, finding];
  const denied: Observation = { ...observation, verdict: 'deny', mode: 'enforce', findings, exempted };
  const admit = async () => ({ ...admitted, observation: denied });
  const times = [1_000, 1_000.412_345_678];
  const server = await startServer(t, { validate: admit, mutate: admit }, { now: () => times.shift() ?? 1_001 });
  await postJson(server.client, '/validate', {});
  const [{ time, ...line } = {}] = server.logged();
  assert.match(String(time), /^\d{4}-/);
  const { findings: _, ...told } = denied;
  const { milliseconds, ...rest } = line;
  assert.deepEqual(rest, { level: 'warn', ...told, rules: ['rollout-deadlock'], msg: 'review answered' });
  assert.match(String(milliseconds), /^\d+(\.\d{1,3})?$/);
});

test('a body that is no AdmissionReview is refused with 400 and the reason', async (t) => {
  const server = await startServer(t, failing(new MalformedReviewError('request has no uid')));
  const { status, body } = await postJson(server.client, '/validate', {});
  assert.equal(status, 400);
  assert.match(body, /request has no uid/);
  assert.deepEqual(server.unanswered, ['validate']);
});

test('a bug of ours is answered 500, says nothing of allowed, and is logged', async (t) => {
  const server = await startServer(t, failing(new TypeError('x is not a function')));
  const { status, body } = await postJson(server.client, '/mutate', {});
  assert.equal(status, 500);
  assert.doesNotMatch(body, /allowed|x is not a function/);
  assert.deepEqual(server.unanswered, ['mutate']);
  const [line] = server.logged();
  assert.equal(line?.level, 'error');
  assert.match(JSON.stringify(line), /x is not a function/);
});

test('an error with a statusCode of its own is a bug of ours all the same', async (t) => {
  const error = Object.assign(new Error('claims is forbidden'), { statusCode: 403 });
  const { client } = await startServer(t, failing(error));
  assert.equal((await postJson(client, '/validate', {})).status, 500);
});

const refused = [
  { name: 'a body that is not JSON', body: '{"kind":', type: 'application/json', status: 400 },
  { name: 'a body that is not UTF-8', body: Buffer.from([0xff, 0xfe]), type: 'application/json', status: 400 },
  { name: 'an empty body', body: '', type: 'application/json', status: 400 },
  { name: 'a body without a content type', body: '{}', type: undefined, status: 415 },
  { name: 'a body of text/plain', body: '{}', type: 'text/plain', status: 415 },
  { name: 'a form', body: 'a=b', type: 'application/x-www-form-urlencoded', status: 415 },
  { name: 'a body of 21 MiB', body: `"${'x'.repeat(21 * 1024 * 1024)}"`, type: 'application/json', status: 413 },
];

for (const { name, body, type, status } of refused) {
  test(`${name} is refused with ${status}, and judged by nobody`, async (t) => {
    const admission = admitting();
    const server = await startServer(t, admission);
    assert.equal((await post(server.client, '/validate', body, type)).status, status);
    assert.deepEqual(admission.bodies, []);
    assert.deepEqual(server.unanswered, ['validate']);
    assert.deepEqual(
      server.logged().map(({ level, msg }) => ({ level, msg })),
      [{ level: 'warn', msg: 'request refused' }],
    );
  });
}

test('a body of 21 MiB that does not tell its length is refused with 413', async (t) => {
  const { client } = await startServer(t, admitting());
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const sent = request({ ...client, path: '/validate', method: 'POST', headers });
  sent.end(`"${'x'.repeat(21 * 1024 * 1024)}"`);
  assert.equal((await answerTo(sent)).status, 413);
});

test('two objects of the 3 MiB that the API server takes fit into one review', async (t) => {
  const { client } = await startServer(t, admitting());
  const object = 'x'.repeat(3 * 1024 * 1024);
  const { status } = await postJson(client, '/validate', { request: { object, oldObject: object } });
  assert.equal(status, 200);
});

test('a sender that hangs up in the middle of a body hurts nobody', async (t) => {
  const server = await startServer(t, admitting());
  const headers = { 'content-type': 'application/json', 'content-length': 100 };
  const sent = request({ ...server.client, path: '/validate', method: 'POST', headers });
  sent.on('error', () => {});
  sent.write('{"kind":', () => setTimeout(() => sent.destroy(), 50));
  while (server.unanswered.length === 0) await sleep(10);
  assert.equal((await postJson(server.client, '/validate', {})).status, 200);
  assert.deepEqual(
    server.logged().map(({ level }) => level),
    ['warn', 'info'],
  );
});

for (const path of ['/', '/validate/', '/other']) {
  test(`nothing is at ${path}`, async (t) => {
    const { client } = await startServer(t, admitting());
    assert.equal((await postJson(client, path, {})).status, 404);
  });
}

test('100,000 levels of nesting are answered', async (t) => {
  const { client } = await startServer(t, admitting());
  const body = '['.repeat(100_000) + ']'.repeat(100_000);
  assert.equal((await post(client, '/validate', body, 'application/json')).status, 200);
});

test('keys like __proto__ and constructor reach admission untouched', async (t) => {
  const admission = admitting();
  const { client } = await startServer(t, admission);
  const body = '{"data":{"__proto__":"x","constructor":{"prototype":{"a":1}}}}';
  assert.equal((await post(client, '/validate', body, 'application/json')).status, 200);
  assert.deepEqual(
    admission.bodies.map((received) => JSON.stringify(received)),
    [body],
  );
});

for (const { query, waits } of [
  { query: '?timeout=1s', waits: 750 },
  { query: '?timeout=30s', waits: 29_750 },
  { query: '', waits: 9_750 },
  { query: '?timeout=soon', waits: 9_750 },
  { query: '?timeout=0s', waits: 9_750 },
  { query: '?timeout=1s&timeout=2s', waits: 9_750 },
]) {
  test(`admission has ${waits} ms when the API server asks ${query || 'without a timeout'}`, async (t) => {
    const set = t.mock.method(globalThis, 'setTimeout');
    const { client } = await startServer(t, admitting());
    await postJson(client, `/validate${query}`, {});
    const waited = set.mock.calls.map(({ arguments: [, milliseconds] }) => milliseconds);
    assert.ok(waited.includes(waits), `waited ${waited}`);
  });
}

test('what waits for the signal is answered', async (t) => {
  const admit = (_body: unknown, signal: AbortSignal) =>
    new Promise<Admitted>((resolve) => signal.addEventListener('abort', () => resolve(admitted)));
  const { client } = await startServer(t, { validate: admit, mutate: admit });
  assert.equal((await postJson(client, '/validate?timeout=1s', {})).status, 200);
});

test('answers ask the client to leave its connection once the server is about to close', async (t) => {
  const { client, leave } = await startServer(t, admitting());
  const kept = { ...client, agent: keptConnection(t) };
  assert.equal((await postJson(kept, '/validate', {})).connection, 'keep-alive');
  leave();
  assert.equal((await postJson(kept, '/validate', {})).connection, 'close');
});

test('a request that arrives on a busy connection while the server closes is answered', async (t) => {
  const inside = Promise.withResolvers<void>();
  const held = Promise.withResolvers<Admitted>();
  const mutate = () => {
    inside.resolve();
    return held.promise;
  };
  const { app, client } = await startServer(t, { ...admitting(), mutate });
  const socket = connect({ host: client.host ?? '', port: Number(client.port), ca: String(client.ca) });
  const answers = text(socket);
  socket.write(rawPost('/mutate'));
  await inside.promise;
  const closed = app.close();
  await sleep(50);
  socket.write(rawPost('/validate'));
  held.resolve(admitted);
  assert.equal((await answers).match(/HTTP\/1.1 200 OK/g)?.length, 2);
  await closed;
});

function rawPost(path: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
}
