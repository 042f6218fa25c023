import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { Admission } from '../../src/admission/admission.ts';
import { closerOf } from '../../src/server/closing.ts';
import { keptConnection, postJson } from './https-client.ts';
import { startServer } from './https-server.ts';

const never = () => new Promise<never>(() => {});
const failing = () => Promise.reject(new Error('not asked here'));
const admission: Admission = { validate: failing, mutate: never };

/** Longer than closing takes where nothing holds it up, and short for a test. */
const LIMIT_MS = 300;

// Where they did, it would take a minute.
test('idle connections do not hold up the end', { timeout: 30_000 }, async (t) => {
  const { app, client } = await startServer(t, admission);
  const close = closerOf(app);
  await postJson({ ...client, agent: keptConnection(t) }, '/validate', {});
  await close(60_000);
});

test('a client that does not get as far as TLS is cut off', async (t) => {
  const { app, client } = await startServer(t, admission);
  const close = closerOf(app);
  const accepted = once(app.server, 'connection');
  const silent = connect(Number(client.port), String(client.host));
  await accepted;
  const closed = once(silent, 'close');
  await close(LIMIT_MS);
  await closed;
});

test('a client that sends nothing after the handshake is cut off', async (t) => {
  const { app, client } = await startServer(t, admission);
  const close = closerOf(app);
  const silent = connectTls({ host: String(client.host), port: Number(client.port), ca: String(client.ca) });
  await once(silent, 'secureConnect');
  const closed = once(silent, 'close');
  await close(LIMIT_MS);
  await closed;
});

test('a review that is never answered is cut off', async (t) => {
  const { app, client } = await startServer(t, admission);
  const close = closerOf(app);
  const answer = postJson(client, '/mutate', {});
  await once(app.server, 'request');
  await Promise.all([assert.rejects(answer, { code: 'ECONNRESET' }), close(LIMIT_MS)]);
});
