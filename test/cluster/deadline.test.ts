import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { KubeConnection } from '../../src/cluster/connection.ts';
import { liveLookup } from '../../src/cluster/live-lookup.ts';
import type { ObjectRef } from '../../src/snapshot/snapshot.ts';
import { eventually } from './fake-api.ts';
import {
  absentPeer,
  authorityOfPeers,
  halfDeadPeer,
  type Peer,
  silentPeer,
  slowPeer,
  tlsOnlyPeer,
  unreachablePeer,
} from './peers.ts';

/** Whoever waits for the connection and not for the deadline does not end within a test's time. */
const NEVER_MS = 600_000;
const WITHIN = { timeout: 30_000 };

const claim = (name: string): ObjectRef => ({ kind: 'PersistentVolumeClaim', namespace: 'shop', name });

function connectionTo(t: TestContext, { url: server }: Peer, connectWithinMs = NEVER_MS): KubeConnection {
  const load = () => {
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: 'test', server, caData: Buffer.from(authorityOfPeers).toString('base64') }],
      users: [{ name: 'test' }],
      contexts: [{ name: 'test', cluster: 'test', user: 'test' }],
      currentContext: 'test',
    });
    return config;
  };
  const connection = new KubeConnection({ load, connectWithinMs });
  t.after(() => connection.close());
  return connection;
}

const silent: readonly (readonly [string, (t: TestContext) => Promise<Peer>])[] = [
  ['drops what would open a connection', unreachablePeer],
  ['takes connections and never speaks TLS', silentPeer],
  ['speaks TLS and never answers', tlsOnlyPeer],
  ['answers a byte a second', slowPeer],
];

for (const [does, make] of silent) {
  test(`a look-up ends with its deadline while the API server ${does}`, WITHIN, async (t) => {
    const peer = await make(t);
    const lookUp = liveLookup({ connection: connectionTo(t, peer), counted: () => {} });
    const deadline = new AbortController();
    const looking = lookUp([claim('data')], deadline.signal);
    await peer.reached;
    deadline.abort();
    assert.deepEqual((await looking)[0]?.found, {
      known: false,
      because: 'PersistentVolumeClaim shop/data was not read in time',
    });
  });

  test(`a list ends with its signal while the API server ${does}`, WITHIN, async (t) => {
    const peer = await make(t);
    const stopping = new AbortController();
    const { signal } = stopping;
    const reading = (async () => {
      for await (const _chunk of await connectionTo(t, peer).stream('/api/v1/nodes', {}, { signal }));
    })();
    await peer.reached;
    stopping.abort();
    await assert.rejects(reading, { name: 'AbortError' });
  });
}

test('a look-up ends with its deadline when the API server dies on an open connection', WITHIN, async (t) => {
  const peer = await halfDeadPeer(t);
  const connection = connectionTo(t, peer);
  await connection.request('/api', {}, { signal: new AbortController().signal });
  const deadline = new AbortController();
  const looking = liveLookup({ connection, counted: () => {} })([claim('data')], deadline.signal);
  await peer.reached;
  deadline.abort();
  assert.equal((await looking)[0]?.found.known, false);
});

test('a look-up does not wait for its deadline where nobody listens', WITHIN, async (t) => {
  const lookUp = liveLookup({ connection: connectionTo(t, await absentPeer()), counted: () => {} });
  assert.deepEqual((await lookUp([claim('data')], new AbortController().signal))[0]?.found, {
    known: false,
    because: 'PersistentVolumeClaim shop/data could not be read (ECONNREFUSED)',
  });
});

test('a connection that is not made in time is given up', WITHIN, async (t) => {
  const connection = connectionTo(t, await silentPeer(t), 100);
  await assert.rejects(connection.request('/api', {}, { signal: new AbortController().signal }), {
    code: 'UND_ERR_CONNECT_TIMEOUT',
  });
});

test(
  'a thousand look-ups make ten connections, as many writes two, and each list has one of its own',
  WITHIN,
  async (t) => {
    const peer = await tlsOnlyPeer(t);
    const connection = connectionTo(t, peer);
    const deadline = new AbortController();
    const { signal } = deadline;
    const names = Array.from({ length: 1_000 }, (_, index) => claim(`data-${index}`));
    const looking = liveLookup({ connection, counted: () => {} })(names, signal);
    const writing = names.map((_, index) => connection.send('POST', `/write/${index}`, {}, { signal }));
    const lists = Array.from({ length: 13 }, (_, index) => connection.stream(`/list/${index}`, {}, { signal }));
    await eventually(() => peer.open.size >= 25);
    await peer.reached;
    assert.equal(peer.open.size, 25);
    deadline.abort();
    assert.ok((await looking).every(({ found }) => !found.known));
    await Promise.allSettled([...lists, ...writing]);
    await eventually(() => peer.open.size === 0);
  },
);
