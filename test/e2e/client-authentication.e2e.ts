import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { postJson } from '../server/https-client.ts';
import { type GuardProcess, startGuardProcess } from './guard-process.ts';
import { KUSTOMIZATION, kubectl } from './installation.ts';
import { admissionConfigurationIn } from './rendered.ts';
import { claim, cluster as clusterManifest, deployment, documents, namespace } from './webhook-manifests.ts';

const authority = createCertificateAuthority();

describe('with client certificates required', { concurrency: false }, () => {
  let cluster: ControlPlane;
  let guard: GuardProcess;

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-admission-'));
    const webhooks = authority.clientCertificate({ user: 'kube-apiserver-webhooks' });
    await writeFile(join(folder, 'webhooks.crt'), webhooks.certificate);
    await writeFile(join(folder, 'webhooks.key'), webhooks.key);
    const configuration = await admissionConfigurationIn(folder);
    cluster = await startControlPlane({
      flags: { 'kube-apiserver': [`--admission-control-config-file=${configuration}`] },
    });
    const given = documents(namespace('strict', { mode: 'enforce' }), clusterManifest(), claim('strict'));
    const { code, stderr } = await cluster.kubectl(cluster.adminKubeconfig, ['apply', '-f', '-'], { stdin: given });
    assert.equal(code, 0, stderr);
    await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
    const caFile = join(cluster.folder, 'client-ca.crt');
    await writeFile(caFile, authority.certificate);
    const names = 'allowedNames: [kube-apiserver-webhooks]';
    guard = await startGuardProcess(cluster, `clientAuthentication: { caFile: ${caFile}, ${names} }\n`);
    const endpoints = [{ port: guard.port }];
    await cluster.publishWebhookService({ namespace: 'rwo-guard', service: 'rwo-guard', endpoints });
  });

  after(async () => {
    await guard.stop();
    await cluster.stop();
  });

  test('hazards are denied through an API server that shows its certificate', async () => {
    await until('a hazard is denied', async () => {
      const manifest = deployment('strict', { generateName: true });
      const args = ['create', '-f', '-'];
      const { code, stderr } = await cluster.kubectl(cluster.adminKubeconfig, args, { stdin: manifest });
      return code === 1 && stderr.includes('[rollout-deadlock]');
    });
  });

  test('nobody else gets as far as a review', async () => {
    const at = { host: '127.0.0.1', port: guard.port, rejectUnauthorized: false, agent: false };
    const { certificate: cert, key } = authority.clientCertificate({ user: 'somebody-else' });
    const foreign = createCertificateAuthority().clientCertificate({ user: 'kube-apiserver-webhooks' });
    await assert.rejects(postJson(at, '/validate', {}));
    await assert.rejects(postJson({ ...at, cert, key }, '/validate', {}));
    await assert.rejects(postJson({ ...at, cert: foreign.certificate, key: foreign.key }, '/validate', {}));
  });

  test('probes need no certificate', async () => {
    assert.equal(await guard.ready(), true);
  });
});
