import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { V1Secret } from '@kubernetes/client-node';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { CHART, type HelmVersion, helm } from '../helm/helm.ts';
import { start } from '../program.ts';
import { type DeployedGuard, publish, startDeployedGuard } from './deployed-guard.ts';
import { configurationKey, kubectl, webhookConfigurations } from './installation.ts';
import { COMPONENTS, type Component } from './rendered.ts';
import { WAYS, type WayToInstall, wayToInstall } from './ways-to-install.ts';
import { cluster as clusterManifest, deployment, documents, namespace } from './webhook-manifests.ts';

const NAMESPACE = 'elsewhere';
const ON = { namespace: NAMESPACE, components: Object.keys(COMPONENTS) as readonly Component[] };
const OFF = { namespace: NAMESPACE, components: [] };

let cluster: ControlPlane;

before(async () => {
  cluster = await startControlPlane({ controllerManager: true, scheduler: true, kwok: true });
  await kubectl(cluster, 'apply', '-f', join(import.meta.dirname, 'crds.yaml'));
  await kubectl(cluster, 'wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s');
  const stdin = documents(clusterManifest(), namespace('strict', { mode: 'enforce' }));
  assert.equal((await cluster.kubectl(cluster.adminKubeconfig, ['apply', '-f', '-'], { stdin })).code, 0);
});

after(() => cluster.stop());

for (const way of WAYS) {
  describe(`upgraded by ${way}`, () => {
    let tool: WayToInstall;
    let guard: DeployedGuard | undefined;

    before(async () => {
      tool = await wayToInstall(way, cluster);
      await tool.install(OFF);
      guard = await startDeployedGuard(cluster, NAMESPACE);
      await judgedBy(guard);
    });

    after(async () => {
      await guard?.stop();
      await tool.uninstall(ON);
      if (tool.program === 'kubectl') await tool.uninstall(OFF); // it knows no more than what it is given
      await kubectl(cluster, 'delete', 'namespace', NAMESPACE, '--ignore-not-found');
    });

    test('every component is switched on while our own caBundle is in place', async () => {
      await tool.install(ON);
      await guard?.stop();
      await actAsCertManager();
      guard = await startDeployedGuard(cluster, NAMESPACE);
      await judgedBy(guard);
      assert.deepEqual(await failurePolicies(), ['Fail', 'Ignore', 'Ignore']);
      if (tool.program === 'helm')
        assert.deepEqual(await installed(/-tls|ca-injection|serving-certificate/), [CERT_MANAGER_TLS]);
    });

    test('applied again, what cert-manager wrote stays', async () => {
      const before = await injected();
      await tool.install(ON);
      assert.deepEqual(await injected(), before);
      if (tool.diff !== undefined) assert.equal(await tool.diff(ON), '');
    });

    test('every component is switched off while the caBundle of cert-manager is in place', async () => {
      await tool.install(OFF);
      await guard?.stop();
      guard = await startDeployedGuard(cluster, NAMESPACE);
      await judgedBy(guard);
      assert.deepEqual(await failurePolicies(), ['Ignore', 'Ignore', 'Ignore']);
      if (tool.program === 'helm') assert.deepEqual(await installed(/cert-manager|NetworkPolicy|Monitor|metrics/), []);
    });
  });
}

describe('switched by Helm 4 from certificates of our own making to a Secret of yours', () => {
  let guard: DeployedGuard | undefined;

  after(async () => {
    await guard?.stop();
    await uninstallByHelm('v4');
    await kubectl(cluster, 'delete', 'namespace', NAMESPACE, '--ignore-not-found');
  });

  test('the caBundle that the server set is in the way, until --force-conflicts takes it over', async (t) => {
    await upgrade();
    guard = await startDeployedGuard(cluster, NAMESPACE);
    await judgedBy(guard);
    const { stdout } = await start(t, ['certs', 'status', '--kubeconfig', cluster.adminKubeconfig]).ended;
    assert.match(stdout, /call rwo-guard in namespace elsewhere: use -n elsewhere\n$/);
    const { certificate, key, authority } = newCertificate();
    const files = { 'tls.crt': base64(certificate), 'tls.key': base64(key) };
    await cluster.api.apply(tlsSecret('mine', files), { fieldManager: 'me' });
    const mine = { source: 'existing-secret', existingSecret: 'mine', caBundle: base64(authority) };
    await guard.stop();
    await assert.rejects(upgrade({ certificates: mine }), /conflict with "rwo-guard-ca-injection"/);
    await upgrade({ certificates: mine }, '--force-conflicts');
    guard = await startDeployedGuard(cluster, NAMESPACE);
    await judgedBy(guard);
    assert.deepEqual(new Set(await injected()), new Set([base64(authority)]));
    assert.deepEqual(await installed(/rwo-guard-tls|ca-injection|serving-certificate/), []);
    await upgrade({ certificates: mine });
  });

  function upgrade(values: object = {}, ...flags: readonly string[]): Promise<string> {
    return upgradeByHelm('v4', values, flags);
  }
});

for (const [version, flags] of [
  ['v3', ['--take-ownership']],
  ['v4', ['--take-ownership', '--force-conflicts']],
] as const) {
  describe(`handed over from kubectl to Helm ${version.slice(1)}`, () => {
    let guard: DeployedGuard | undefined;

    before(async () => {
      await (await wayToInstall('kubectl apply', cluster)).install(OFF);
      guard = await startDeployedGuard(cluster, NAMESPACE);
      await judgedBy(guard);
    });

    after(async () => {
      await guard?.stop();
      await kubectl(cluster, 'delete', 'namespace', NAMESPACE, '--ignore-not-found');
    });

    test('it goes on judging, and Helm removes all but the old settings and the namespace', async () => {
      const caBundles = await injected();
      await upgradeByHelm(version, {}, flags);
      assert.deepEqual(await injected(), caBundles);
      if (guard !== undefined) await judgedBy(guard);
      await uninstallByHelm(version);
      await until('all else is gone', async () => {
        assert.match((await installed(/./)).join(), /^ConfigMap\/rwo-guard-config-[a-z0-9]{10}$/);
        return true;
      });
    });
  });
}

const CERT_MANAGER_TLS = 'Secret/rwo-guard-cert-manager-tls';

/** The next write reaches these replicas, over TLS that the caBundle in force verifies. */
async function judgedBy({ replicas }: DeployedGuard): Promise<void> {
  await publish(cluster, NAMESPACE, replicas);
  const args = ['create', '--dry-run=server', '-f', '-'];
  await until('a warning', async () => {
    const { stderr } = await cluster.kubectl(cluster.adminKubeconfig, args, { stdin: deployment('strict') });
    return stderr.includes('[claim-unknown]');
  });
}

/** Fills in the Secrets and sets caBundle, each as its two controllers do. */
async function actAsCertManager(): Promise<void> {
  const { certificate, key, authority } = newCertificate();
  const name = 'rwo-guard-cert-manager-tls';
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE, name };
  const { type = '' } = await cluster.api.get<V1Secret>(secret);
  const files = { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(authority) };
  await cluster.api.apply({ ...tlsSecret(name, files), type }, { fieldManager: 'cert-manager-certificates-issuing' });
  for (const { kind = '', metadata: { annotations = {} } = {}, webhooks } of await webhookConfigurations(cluster.api)) {
    assert.equal(annotations['cert-manager.io/inject-ca-from'], `${NAMESPACE}/rwo-guard`);
    const patch = webhooks.map((_, index) => ({
      op: 'add',
      path: `/webhooks/${index}/clientConfig/caBundle`,
      value: base64(authority),
    }));
    await cluster.api.patch(configurationKey(kind), 'json', patch);
  }
}

function newCertificate(): { readonly certificate: string; readonly key: string; readonly authority: string } {
  const authority = createCertificateAuthority();
  const serving = authority.servingCertificate({ dns: [`rwo-guard.${NAMESPACE}.svc`], ips: [] });
  return { ...serving, authority: authority.certificate };
}

function tlsSecret(name: string, data: Readonly<Record<string, string>>) {
  const metadata = { namespace: NAMESPACE, name };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', data };
}

async function injected(): Promise<readonly (string | undefined)[]> {
  const configurations = await webhookConfigurations(cluster.api);
  return configurations.flatMap(({ webhooks }) => webhooks.map(({ clientConfig }) => clientConfig.caBundle));
}

async function upgradeByHelm(version: HelmVersion, values: object, flags: readonly string[]): Promise<string> {
  const file = join(cluster.folder, 'mine.yaml');
  await writeFile(file, JSON.stringify({ image: { repository: 'rwo-guard' }, ...values }));
  const where = ['--namespace', NAMESPACE, '--create-namespace'];
  return runHelm(version, ['upgrade', '--install', 'guard', CHART, ...where, '--values', file, ...flags]);
}

async function uninstallByHelm(version: HelmVersion): Promise<void> {
  await runHelm(version, ['uninstall', 'guard', '--namespace', NAMESPACE, '--wait', '--timeout', '60s']);
}

function runHelm(version: HelmVersion, args: readonly string[]): Promise<string> {
  return helm(version, args, { home: cluster.folder, kubeconfig: cluster.adminKubeconfig });
}

async function failurePolicies(): Promise<readonly string[]> {
  const configurations = await webhookConfigurations(cluster.api);
  return configurations.flatMap(({ webhooks }) => webhooks.map(({ failurePolicy }) => failurePolicy));
}

/** What of ours there is now, as `Kind/name`, where that matches. */
async function installed(pattern: RegExp): Promise<readonly string[]> {
  const kinds = 'all,configmaps,secrets,clusterroles,roles,networkpolicies,servicemonitors,issuers,certificates';
  const template = '{{range .items}}{{.kind}}/{{.metadata.name}}{{"\\n"}}{{end}}';
  const found = await kubectl(cluster, '--namespace', NAMESPACE, 'get', kinds, '-o', `go-template=${template}`);
  return found.split('\n').filter((name) => name.includes('rwo-guard') && pattern.test(name));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
