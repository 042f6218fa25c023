import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { type ServingCertificate, startCertificates } from '../../certs/index.ts';
import { DAY, testLog, testWorld } from './test-world.ts';

const names = ['localhost', '127.0.0.1'];

test('certificates in memory are what a client accepts that trusts their authority', async (t) => {
  const source = startCertificates({ from: 'memory', names, log: testLog() });
  t.after(() => source.stop());
  const { certificate, key, authorities } = await new Promise<ServingCertificate>((resolve) => {
    source.onChange(resolve);
  });
  const server = createServer({ cert: certificate, key }, (socket) => socket.end('served')).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const servername of ['localhost', '']) {
    const client = connect({ host: '127.0.0.1', port, ca: authorities, servername });
    const [data] = await once(client, 'data');
    assert.equal(String(data), 'served');
  }
});

test('certificates in memory are renewed under the same authority', async (t) => {
  const world = testWorld();
  const source = startCertificates({ from: 'memory', names, log: testLog(), world });
  t.after(() => source.stop());
  await world.asleep();
  const first = source.current();
  world.advance(60 * DAY);
  await world.poll();
  assert.notEqual(source.current()?.fingerprint, first?.fingerprint);
  assert.equal(source.current()?.authorities, first?.authorities);
});
