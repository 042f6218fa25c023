import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { NOTHING_REUSABLE, toSecretData } from '../../certs/bundle.ts';
import {
  type CertificateSource,
  kubernetesApi,
  serviceNames,
  startCertificates,
  type WebhookConfigurationName,
} from '../../certs/index.ts';
import { DEFAULT_LIFETIMES, issueBundle } from '../../certs/issuance.ts';
import { realWorld } from '../../certs/world.ts';
import { loadKubeConfig } from '../../src/cluster/kube-config.ts';
import { followCertificate } from '../../src/server/tls.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { type GuardProcess, launchGuard } from './guard-process.ts';
import { KUSTOMIZATION, kubectl } from './installation.ts';
import { type LoadResult, startSteadyLoad, untilCallsSucceed } from './steady-load.ts';

const SECRET = { namespace: 'rwo-guard', name: 'rwo-guard-tls' };
const NAMES = serviceNames('rwo-guard', 'rwo-guard');
const CONFIGURATIONS: readonly WebhookConfigurationName[] = [
  { kind: 'ValidatingWebhookConfiguration', name: 'rwo-guard' },
  { kind: 'MutatingWebhookConfiguration', name: 'rwo-guard' },
];
const DAY = 24 * 60 * 60 * 1000;
const PROGRAM = join(import.meta.dirname, '../../dist/rwo-guard.js');

/** Everything takes real time here, so each has a cluster of its own and all go on side by side. */
describe('under steady load no call fails, neither where it would be refused nor where it would be let through, while', {
  concurrency: true,
}, () => {
  test('two servers are restarted in turn, and renew what comes into the last third of its life', async (t) => {
    const cluster = await guardable(t);
    await putAgedCertificate(cluster);
    let replicas = await startReplicas(t, cluster);
    const load = await startSteadyLoad(t, cluster, ['fail', 'ignore']);
    for (const index of [0, 1]) {
      const stays = replicas.filter((_, i) => i !== index);
      await publish(cluster, stays);
      await replicas[index]?.stop();
      replicas = [...stays, await startReplica(t, cluster)].toReversed();
      await publish(cluster, replicas);
    }
    const areRenewed = async () => (await Promise.all(replicas.map(daysLeft))).every((days) => days > 80);
    await until('both serve a new certificate', areRenewed, { timeoutMs: 180_000 });
    assertNoneFailed(await load.stop());
  });

  test('certs rotate brings a new CA and takes the old one out of the caBundle, and certs status agrees', async (t) => {
    const cluster = await guardable(t);
    const replicas = await startReplicas(t, cluster);
    const secret = { apiVersion: 'v1', kind: 'Secret', ...SECRET };
    const old = await cluster.api.get<SecretObject>(secret);
    const load = await startSteadyLoad(t, cluster, ['fail', 'ignore']);
    const rotated = await rwoGuard('certs', 'rotate', '--distrust-old', '--kubeconfig', cluster.adminKubeconfig);
    assert.equal(rotated, 'a new CA signs; the old ones are not trusted any more\n');
    const status = await rwoGuard('certs', 'status', '--format', 'json', '--kubeconfig', cluster.adminKubeconfig);
    assertNoneFailed(await load.stop());
    const { good, problems, authorities, caBundles } = JSON.parse(status);
    assert.deepEqual([good, problems, authorities.length, caBundles.length], [true, [], 1, 3]);
    assert.notEqual((await cluster.api.get<SecretObject>(secret)).data['ca.key'], old.data['ca.key']);
    for (const replica of replicas) {
      assert.equal(await replica.ready(), true);
      assert.match(await replica.metrics(), /^rwo_guard_ca_bundle_in_sync 1$/m);
      assert.doesNotMatch(replica.log(), /certificates need attention/);
    }
  });

  test('a certificate with a life of two minutes renews by itself, twice', async (t) => {
    const cluster = await guardable(t);
    const { kubeconfig } = await cluster.serviceAccountKubeconfig('rwo-guard', 'rwo-guard');
    const complaints: string[] = [];
    const complain = (_: object, message: string) => complaints.push(message);
    const source = startCertificates({
      from: 'secret',
      api: kubernetesApi(loadKubeConfig({ kubeconfig })),
      secret: SECRET,
      configurations: CONFIGURATIONS,
      names: NAMES,
      lifetimes: { ...DEFAULT_LIFETIMES, serving: 120_000 },
      log: { info() {}, warn: complain, error: complain },
    });
    t.after(() => source.stop());
    const server = await allowing(source);
    t.after(() => server.close());
    await publish(cluster, [server]);
    await untilCallsSucceed(t, cluster, ['fail', 'ignore']);
    const load = await startSteadyLoad(t, cluster, ['fail', 'ignore']);
    const served = new Set<string>();
    await until(
      'a third certificate is served',
      async () => served.add(source.current()?.fingerprint ?? '').size === 3,
      { timeoutMs: 240_000 },
    );
    assertNoneFailed(await load.stop());
    assert.deepEqual(complaints, []);
  });
});

function assertNoneFailed({ requests, refused, calls, failedOpen, rejectedByError }: LoadResult): void {
  assert.deepEqual({ refused, failedOpen, rejectedByError }, { refused: [], failedOpen: 0, rejectedByError: 0 });
  assert.ok(requests > 100 && calls >= requests, `${calls} calls for ${requests} requests`);
}

/**
 * The manifests, with `failurePolicy: Fail` for the entry that enforces, and a namespace for it and for another. Nobody
 * answers yet, which is seen, so that it would be seen later too.
 */
async function guardable(t: TestContext): Promise<ControlPlane> {
  const cluster = await startControlPlane();
  t.after(() => cluster.stop());
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  const key = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    name: 'rwo-guard',
  };
  await cluster.api.patch(key, 'json', [
    { op: 'test', path: '/webhooks/0/name', value: 'enforce.rwo-guard.dev' },
    { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' },
  ]);
  for (const [name, labels] of [
    ['fail', { 'rwo-guard.dev/mode': 'enforce' }],
    ['ignore', {}],
  ] as const) {
    await cluster.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  }
  await until('failing calls are seen', async () => {
    const { refused, failedOpen, rejectedByError } = await (
      await startSteadyLoad(t, cluster, ['fail', 'ignore'])
    ).stop();
    return refused.length > 0 && failedOpen > 0 && rejectedByError > 0;
  });
  return cluster;
}

/** As if servers had run for sixty days but for a minute and a half. */
async function putAgedCertificate(cluster: ControlPlane): Promise<void> {
  const then = Date.now() - 60 * DAY + 90_000;
  const api = kubernetesApi(loadKubeConfig({ kubeconfig: cluster.adminKubeconfig }));
  const bundle = await issueBundle(NOTHING_REUSABLE, NAMES, DEFAULT_LIFETIMES, {
    ...realWorld,
    now: () => new Date(then),
  });
  const stored = await api.getSecret(SECRET);
  assert.equal(await api.updateSecret(SECRET, toSecretData(bundle), stored?.resourceVersion ?? ''), 'written');
}

/** Two of them, once calls succeed. */
async function startReplicas(t: TestContext, cluster: ControlPlane): Promise<readonly GuardProcess[]> {
  const replicas = await Promise.all([startReplica(t, cluster), startReplica(t, cluster)]);
  await publish(cluster, replicas);
  await untilCallsSucceed(t, cluster, ['fail', 'ignore']);
  return replicas;
}

async function startReplica(t: TestContext, cluster: ControlPlane): Promise<GuardProcess> {
  const folder = await mkdtemp(join(cluster.folder, 'guard-'));
  await writeFile(join(folder, 'config.yaml'), 'shutdownGraceSeconds: 5\n');
  const account = { namespace: 'rwo-guard', serviceAccount: 'rwo-guard' };
  const replica = await launchGuard(cluster, { ...account, args: ['--config', folder] });
  t.after(() => replica.stop());
  return replica;
}

async function daysLeft(replica: GuardProcess): Promise<number> {
  const metric = /^rwo_guard_certificate_expiry_timestamp_seconds (\S+)$/m.exec(await replica.metrics());
  return (Number(metric?.[1]) * 1000 - Date.now()) / DAY;
}

function publish(cluster: ControlPlane, replicas: readonly { readonly port: number }[]): Promise<void> {
  const endpoints = replicas.map(({ port }) => ({ port }));
  return cluster.publishWebhookService({ namespace: 'rwo-guard', service: 'rwo-guard', endpoints });
}

/** A server of reviews that allows everything, under certificates as ours come and go. */
async function allowing(source: CertificateSource): Promise<{ readonly port: number; close(): void }> {
  const server = createServer(async (message, answer) => {
    const { request } = (await json(message)) as { readonly request: { readonly uid: string } };
    const response = { uid: request.uid, allowed: true };
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
  });
  followCertificate(server, source);
  server.listen(0);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return {
    port: address.port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface SecretObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly data: Readonly<Record<string, string>>;
}

/** What it prints; it has to succeed. */
async function rwoGuard(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args]);
  return stdout;
}
