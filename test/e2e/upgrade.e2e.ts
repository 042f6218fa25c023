import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { V1Secret } from '@kubernetes/client-node';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { CHART, type HelmVersion, helm } from '../helm/helm.ts';
import { start } from '../program.ts';
import { type DeployedGuard, publish, startDeployedGuard } from './deployed-guard.ts';
import {
  allWebhookConfigurations,
  configurationKey,
  INSTALLED_IN,
  kubectl,
  webhookConfigurations,
} from './installation.ts';
import { COMPONENTS, type Component } from './rendered.ts';
import { WAYS, wayToInstall } from './ways-to-install.ts';
import { cluster as clusterManifest, deployment, documents, namespace } from './webhook-manifests.ts';

const ALL = Object.keys(COMPONENTS) as readonly Component[];
const CERT_MANAGER_TLS = 'Secret/rwo-guard-cert-manager-tls';

/** A cluster, and the namespace of it that is installed in. */
interface Place {
  readonly cluster: ControlPlane;
  readonly where: string;
}

// Both wait most of the time, for namespaces to go.
describe('an installation', { concurrency: true }, () => {
  for (const where of INSTALLED_IN) {
    test(`in namespace ${where}`, { concurrency: false }, async (t) => {
      const place = { cluster: await startCluster(t), where };
      for (const way of WAYS) await t.test(`upgraded by ${way}`, (t) => switchComponents(t, way, place));
      await t.test('switched by Helm 4 from certificates of our own making to a Secret of yours', (t) =>
        switchCertificates(t, place),
      );
      for (const way of ['kubectl apply', 'kubectl apply --server-side'] as const) {
        for (const version of ['v3', 'v4'] as const) {
          await t.test(`handed over from ${way} to Helm ${version.slice(1)}`, (t) => handOver(t, way, version, place));
        }
      }
    });
  }
});

async function startCluster(t: TestContext): Promise<ControlPlane> {
  const cluster = await startControlPlane({ controllerManager: true, scheduler: true, kwok: true });
  t.after(() => cluster.stop());
  await kubectl(cluster, 'apply', '-f', join(import.meta.dirname, 'crds.yaml'));
  await kubectl(cluster, 'wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s');
  const stdin = documents(clusterManifest(), namespace('strict', { mode: 'enforce' }));
  assert.equal((await cluster.kubectl(cluster.adminKubeconfig, ['apply', '-f', '-'], { stdin })).code, 0);
  return cluster;
}

async function switchComponents(t: TestContext, way: (typeof WAYS)[number], place: Place): Promise<void> {
  const { cluster, where } = place;
  const on = { namespace: where, components: ALL };
  const off = { namespace: where, components: [] };
  const tool = await wayToInstall(way, cluster);
  let guard: DeployedGuard | undefined;
  t.after(async () => {
    await guard?.stop();
    await tool.uninstall(on);
    if (tool.program === 'kubectl') await tool.uninstall(off); // it knows no more than what it is given
    await kubectl(cluster, 'delete', 'namespace', where, '--ignore-not-found');
  });
  await tool.install(off);
  guard = await judging(place);

  await t.test('every component is switched on while our own caBundle is in place', async () => {
    await tool.install(on);
    await guard?.stop();
    await actAsCertManager(place);
    guard = await judging(place);
    assert.deepEqual(await failurePolicies(cluster), ['Fail', 'Ignore', 'Ignore']);
    if (tool.program === 'helm')
      assert.deepEqual(await installed(place, /-tls|ca-injection|serving-certificate/), [CERT_MANAGER_TLS]);
  });

  await t.test('applied again, what cert-manager wrote stays', async () => {
    const before = await injected(cluster);
    await tool.install(on);
    assert.deepEqual(await injected(cluster), before);
    if (tool.diff !== undefined) assert.equal(await tool.diff(on), '');
    if (tool.changedInDryRun !== undefined) assert.deepEqual(await tool.changedInDryRun(on), []);
  });

  await t.test('every component is switched off while the caBundle of cert-manager is in place', async () => {
    await tool.install(off);
    await guard?.stop();
    guard = await judging(place);
    assert.deepEqual(await failurePolicies(cluster), ['Ignore', 'Ignore', 'Ignore']);
    if (tool.program === 'kubectl') await deleteLeftovers(place);
    assert.deepEqual(await installed(place, /cert-manager|NetworkPolicy|Monitor|metrics|PrometheusRule|dashboard/), []);
  });
}

/** As manifests/README.md has it for kubectl; each object has to be there. */
async function deleteLeftovers({ cluster, where }: Place): Promise<void> {
  const readme = await readFile(join(import.meta.dirname, '../../manifests/README.md'), 'utf8');
  const [, block = ''] = /After switching a component off.*?```console\n(.*?)```/s.exec(readme) ?? [];
  for (const [, command = ''] of block.matchAll(/^\$ kubectl (?:-n rwo-guard )?(delete [^#\n]+)/gm)) {
    await kubectl(cluster, '--namespace', where, ...command.trim().split(' '));
  }
}

/** The caBundle that the server set is in the way, until --force-conflicts takes it over. */
async function switchCertificates(t: TestContext, place: Place): Promise<void> {
  const { cluster, where } = place;
  t.after(async () => {
    await uninstallByHelm('v4', place);
    await kubectl(cluster, 'delete', 'namespace', where, '--ignore-not-found');
  });
  await upgradeByHelm('v4', place);
  const before = await judging(place);
  t.after(() => before.stop());
  if (where !== 'rwo-guard') {
    const { stdout } = await start(t, ['certs', 'status', '--kubeconfig', cluster.adminKubeconfig]).ended;
    assert.match(stdout, /call rwo-guard in namespace elsewhere: use -n elsewhere\n$/);
  }
  const { certificate, key, authority } = newCertificate(where);
  const files = { 'tls.crt': base64(certificate), 'tls.key': base64(key) };
  await cluster.api.apply(tlsSecret(where, 'mine', files), { fieldManager: 'me' });
  const mine = { source: 'existing-secret', existingSecret: 'mine', caBundle: base64(authority) };
  await before.stop();
  const certificates = { certificates: mine };
  await assert.rejects(upgradeByHelm('v4', place, certificates), /conflict with "rwo-guard-ca-injection"/);
  await upgradeByHelm('v4', place, certificates, ['--force-conflicts']);
  const guard = await judging(place);
  t.after(() => guard.stop());
  assert.deepEqual(new Set(await injected(cluster)), new Set([base64(authority)]));
  assert.deepEqual(await installed(place, /rwo-guard-tls|ca-injection|serving-certificate/), []);
  await upgradeByHelm('v4', place, certificates);
}

/** Helm 4 goes on applying as its first release did; on the server, what kubectl still owns would be in the way for ever. */
const TAKE_OVER = { v3: ['--take-ownership'], v4: ['--take-ownership', '--server-side=false'] };

/** It goes on judging, is changed by Helm alone from then on, and Helm removes all but the old settings and the namespace. */
async function handOver(
  t: TestContext,
  way: 'kubectl apply' | 'kubectl apply --server-side',
  version: HelmVersion,
  place: Place,
): Promise<void> {
  const { cluster, where } = place;
  t.after(() => kubectl(cluster, 'delete', 'namespace', where, '--ignore-not-found'));
  await (await wayToInstall(way, cluster)).install({ namespace: where, components: [] });
  const guard = await judging(place);
  t.after(() => guard.stop());
  const caBundles = await injected(cluster);
  await upgradeByHelm(version, place, {}, TAKE_OVER[version]);
  await upgradeByHelm(version, place, { failurePolicy: 'Fail', podLabels: { team: 'storage' } });
  assert.deepEqual(await failurePolicies(cluster), ['Fail', 'Ignore', 'Ignore']);
  await runHelm(version, place, ['rollback', 'guard', '--namespace', where]);
  assert.deepEqual(await failurePolicies(cluster), ['Ignore', 'Ignore', 'Ignore']);
  assert.deepEqual(await injected(cluster), caBundles);
  await judgedBy(guard, place);
  await uninstallByHelm(version, place);
  await until('all else is gone', async () => {
    assert.match((await installed(place, /./)).join(), /^ConfigMap\/rwo-guard-config-[a-z0-9]{10}$/);
    return true;
  });
}

/** The replicas that are installed, once they judge. */
async function judging(place: Place): Promise<DeployedGuard> {
  const guard = await startDeployedGuard(place.cluster, place.where);
  await judgedBy(guard, place);
  return guard;
}

/** The next write reaches these replicas, over TLS that the caBundle in force verifies. */
async function judgedBy({ replicas }: DeployedGuard, { cluster, where }: Place): Promise<void> {
  await publish(cluster, where, replicas);
  const args = ['create', '--dry-run=server', '-f', '-'];
  await until('a warning', async () => {
    const { stderr } = await cluster.kubectl(cluster.adminKubeconfig, args, { stdin: deployment('strict') });
    return stderr.includes('[claim-unknown]');
  });
}

/** Fills in the Secrets and sets caBundle, those of guards included, each as its two controllers do. */
async function actAsCertManager({ cluster, where }: Place): Promise<void> {
  const { certificate, key, authority } = newCertificate(where);
  const name = 'rwo-guard-cert-manager-tls';
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: where, name };
  const { type = '' } = await cluster.api.get<V1Secret>(secret);
  const files = { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(authority) };
  await cluster.api.apply(
    { ...tlsSecret(where, name, files), type },
    { fieldManager: 'cert-manager-certificates-issuing' },
  );
  const configurations = await allWebhookConfigurations(cluster.api);
  assert.equal(configurations.length, 5);
  for (const { kind, metadata: { name: configuration = '', annotations = {} } = {}, webhooks } of configurations) {
    assert.equal(annotations['cert-manager.io/inject-ca-from'], `${where}/rwo-guard`);
    const patch = webhooks.map((_, index) => ({
      op: 'add',
      path: `/webhooks/${index}/clientConfig/caBundle`,
      value: base64(authority),
    }));
    await cluster.api.patch(configurationKey(kind, configuration), 'json', patch);
  }
}

function newCertificate(where: string): {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
} {
  const authority = createCertificateAuthority();
  const serving = authority.servingCertificate({ dns: [`rwo-guard.${where}.svc`], ips: [] });
  return { ...serving, authority: authority.certificate };
}

function tlsSecret(namespace: string, name: string, data: Readonly<Record<string, string>>) {
  const metadata = { namespace, name };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', data };
}

async function injected(cluster: ControlPlane): Promise<readonly (string | undefined)[]> {
  const configurations = await webhookConfigurations(cluster.api);
  return configurations.flatMap(({ webhooks }) => webhooks.map(({ clientConfig }) => clientConfig.caBundle));
}

async function upgradeByHelm(
  version: HelmVersion,
  place: Place,
  values: object = {},
  flags: readonly string[] = [],
): Promise<string> {
  const { cluster, where } = place;
  const file = join(cluster.folder, 'mine.yaml');
  await writeFile(file, JSON.stringify({ image: { repository: 'rwo-guard' }, ...values }));
  const into = ['--namespace', where, '--create-namespace'];
  return runHelm(version, place, ['upgrade', '--install', 'guard', CHART, ...into, '--values', file, ...flags]);
}

async function uninstallByHelm(version: HelmVersion, place: Place): Promise<void> {
  await runHelm(version, place, ['uninstall', 'guard', '--namespace', place.where, '--wait', '--timeout', '60s']);
}

function runHelm(version: HelmVersion, { cluster }: Place, args: readonly string[]): Promise<string> {
  return helm(version, args, { home: cluster.folder, kubeconfig: cluster.adminKubeconfig });
}

async function failurePolicies(cluster: ControlPlane): Promise<readonly string[]> {
  const configurations = await webhookConfigurations(cluster.api);
  return configurations.flatMap(({ webhooks }) => webhooks.map(({ failurePolicy }) => failurePolicy));
}

/** What of ours there is now, as `Kind/name`, where that matches. */
async function installed({ cluster, where }: Place, pattern: RegExp): Promise<readonly string[]> {
  const kinds =
    'all,configmaps,secrets,clusterroles,roles,networkpolicies,servicemonitors,prometheusrules,issuers,certificates';
  const template = '{{range .items}}{{.kind}}/{{.metadata.name}}{{"\\n"}}{{end}}';
  const found = await kubectl(cluster, '--namespace', where, 'get', kinds, '-o', `go-template=${template}`);
  return found.split('\n').filter((name) => name.includes('rwo-guard') && pattern.test(name));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
