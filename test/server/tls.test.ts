import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Admission } from '../../src/admission/admission.ts';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';
import { keptConnection, postJson } from './https-client.ts';
import { startServer } from './https-server.ts';

/** What is answered does not matter here. */
const admission: Admission = {
  validate: () => Promise.reject(new Error('not asked here')),
  mutate: () => Promise.reject(new Error('not asked here')),
};

test('a renewed certificate is served to new connections, and no open one is dropped', async (t) => {
  const { client, renew } = await startServer(t, admission);
  const kept = { ...client, agent: keptConnection(t) };
  const before = await postJson(kept, '/validate', {});
  renew();
  const onOpen = await postJson(kept, '/validate', {});
  const onNew = await postJson(client, '/validate', {});
  assert.equal(onOpen.serial, before.serial);
  assert.notEqual(onNew.serial, before.serial);
});

test('a request that is under way while the certificate is renewed gets its answer', async (t) => {
  const inside = Promise.withResolvers<void>();
  const held = Promise.withResolvers<never>();
  const mutate = () => {
    inside.resolve();
    return held.promise;
  };
  const { client, renew } = await startServer(t, { ...admission, mutate });
  const answer = postJson(client, '/mutate', {});
  await inside.promise;
  renew();
  held.reject(new Error('done'));
  assert.equal((await answer).status, 500);
});

test('a client that trusts another authority refuses the connection', async (t) => {
  const { client } = await startServer(t, admission);
  const stranger = { ...client, ca: createCertificateAuthority().certificate };
  await assert.rejects(postJson(stranger, '/validate', {}), { code: 'CERT_SIGNATURE_FAILURE' });
});

test('TLS 1.1 is not spoken', async (t) => {
  const { client } = await startServer(t, admission);
  await assert.rejects(postJson({ ...client, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }, '/validate', {}));
});

const clients = createCertificateAuthority();

function shown(user: string, signer = clients) {
  const { certificate: cert, key } = signer.clientCertificate({ user });
  return { cert, key };
}

function requiring(t: TestContext, ...allowedNames: readonly string[]) {
  return startServer(t, admission, { clientAuthentication: { authorities: clients.certificate, allowedNames } });
}

test('where client certificates are required, one of their authority is let in, also after a renewal', async (t) => {
  const { client, renew } = await requiring(t);
  const known = { ...client, ...shown('kube-apiserver') };
  assert.equal((await postJson(known, '/validate', {})).status, 500);
  renew();
  assert.equal((await postJson(known, '/validate', {})).status, 500);
  await assert.rejects(postJson(client, '/validate', {}));
});

for (const [what, certificate] of [
  ['no certificate', {}],
  ['a certificate of another authority', shown('kube-apiserver', createCertificateAuthority())],
  ['a certificate for servers', serverCertificate()],
  ['another name', shown('somebody')],
] as const) {
  test(`where client certificates are required, a client with ${what} gets no answer`, async (t) => {
    const { client, unanswered } = await requiring(t, 'kube-apiserver');
    await assert.rejects(postJson({ ...client, ...certificate }, '/validate', {}));
    assert.deepEqual(unanswered, []);
  });
}

test('where names are given, a certificate with one of them is let in', async (t) => {
  const { client } = await requiring(t, 'other', 'kube-apiserver');
  assert.equal((await postJson({ ...client, ...shown('kube-apiserver') }, '/validate', {})).status, 500);
});

function serverCertificate() {
  const { certificate: cert, key } = clients.servingCertificate({ dns: ['kube-apiserver'], ips: [] });
  return { cert, key };
}
