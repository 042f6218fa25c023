import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { kubernetesApi } from '../../certs/kubernetes-api.ts';
import { loadKubeConfig } from '../../src/cluster/kube-config.ts';
import { ALL_KINDS, KINDS, type Kind } from '../../src/objects/kinds.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { deployment } from './admission-requests.ts';
import { KUSTOMIZATION, kubectl, type WebhookConfiguration, webhookConfigurations } from './installation.ts';

const PODS = { apiVersion: 'v1', kind: 'Pod' };

let cluster: ControlPlane;

before(async () => {
  cluster = await startControlPlane({ controllerManager: true });
});

after(() => cluster.stop());

test('an installation applied again is unchanged, and shows no difference', async () => {
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  await assertUnchanged(KUSTOMIZATION);
});

test('the API server adds nothing to the webhooks that the manifests do not say', async () => {
  const rendered = await render(KUSTOMIZATION);
  for (const stored of await webhookConfigurations(cluster.api)) {
    const written = rendered.find(({ kind }) => kind === stored.kind);
    assert.deepEqual(stored.webhooks, written?.webhooks);
  }
});

test('the pods pass the Pod Security Standard of their namespace', async () => {
  await until(
    'both replicas are made',
    async () => (await cluster.api.list(PODS, { namespace: 'rwo-guard' })).length === 2,
  );
});

test('a Deployment is admitted while no server answers', async () => {
  await cluster.api.create(deployment('default'));
});

test('the server’s account may do what the server does, and nothing more', async () => {
  for (const kind of ALL_KINDS) {
    for (const verb of KINDS[kind].verbs)
      assert.equal(await mayServer(verb, qualified(kind)), 'yes', `${verb} ${kind}`);
    for (const verb of ['create', 'update', 'patch', 'delete'])
      assert.equal(await mayServer(verb, qualified(kind)), 'no');
  }
  assert.equal(await mayServer('create', 'secrets', { namespace: 'rwo-guard' }), 'yes');
  assert.equal(await mayServer('update', 'secrets/rwo-guard-tls', { namespace: 'rwo-guard' }), 'yes');
  assert.equal(await mayServer('get', 'secrets/another', { namespace: 'rwo-guard' }), 'no');
  assert.equal(await mayServer('list', 'secrets', { namespace: 'rwo-guard' }), 'no');
  assert.equal(await mayServer('create', 'secrets', { namespace: 'default' }), 'no');
  for (const kind of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
    assert.equal(await mayServer('patch', `${kind}/rwo-guard`), 'yes');
    assert.equal(await mayServer('patch', `${kind}/another`), 'no');
    assert.equal(await mayServer('create', kind), 'no');
  }
  for (const resource of ['pods', 'events', 'leases.coordination.k8s.io']) {
    assert.equal(await mayServer('list', resource), 'no');
  }
});

test('a caBundle that the server applies stays, and shows in no difference', async () => {
  const { kubeconfig } = await cluster.serviceAccountKubeconfig('rwo-guard', 'rwo-guard');
  const server = kubernetesApi(loadKubeConfig({ kubeconfig }));
  for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const) {
    const configuration = await server.getConfiguration({ kind, name: 'rwo-guard' });
    assert.ok(configuration !== undefined);
    assert.equal(await server.applyCaBundle(configuration, cluster.certificateAuthority), 'written');
  }

  await assertUnchanged(KUSTOMIZATION);
  await kubectl(cluster, 'apply', '--server-side', '-k', KUSTOMIZATION);
  const caBundle = Buffer.from(cluster.certificateAuthority).toString('base64');
  for (const { webhooks } of await webhookConfigurations(cluster.api)) {
    for (const { clientConfig } of webhooks) assert.equal(clientConfig.caBundle, caBundle);
  }
});

test('an overlay moves everything to another namespace', async () => {
  await kubectl(cluster, 'delete', '-k', KUSTOMIZATION);
  const overlay = await overlayIn('elsewhere');
  await kubectl(cluster, 'apply', '-k', overlay);
  await assertUnchanged(overlay);

  assert.doesNotMatch(JSON.stringify(await render(overlay)), /"namespace":"rwo-guard"/);
  for (const { webhooks } of await webhookConfigurations(cluster.api)) {
    for (const { clientConfig, namespaceSelector } of webhooks) {
      assert.equal(clientConfig.service.namespace, 'elsewhere');
      assert.deepEqual(namespaceSelector.matchExpressions.at(-1)?.values, [
        'kube-system',
        'kube-node-lease',
        'elsewhere',
      ]);
    }
  }
  assert.equal(await mayServer('watch', 'nodes', { installedIn: 'elsewhere' }), 'yes');
});

test('deleting the manifests leaves nothing of the cluster behind', async () => {
  await kubectl(cluster, 'delete', '-k', await overlayIn('elsewhere'));
  const kinds = [
    'clusterroles',
    'clusterrolebindings',
    'validatingwebhookconfigurations',
    'mutatingwebhookconfigurations',
  ];
  const left = await kubectl(cluster, 'get', `namespaces,${kinds.join(',')}`, '-o', 'name');
  assert.doesNotMatch(left, /rwo-guard|elsewhere/);
});

async function assertUnchanged(folder: string): Promise<void> {
  const lines = (await kubectl(cluster, 'apply', '-k', folder)).trimEnd().split('\n');
  // Of every budget kubectl says `configured`: its selector is always sent again as a whole (`patchStrategy: replace`).
  const changed = lines.filter((line) => !/ unchanged$|^poddisruptionbudget.* configured$/.test(line));
  assert.deepEqual(changed, []);
  assert.equal(await kubectl(cluster, 'diff', '-k', folder), '');
}

async function render(folder: string): Promise<readonly WebhookConfiguration[]> {
  return parseAllDocuments(await kubectl(cluster, 'kustomize', folder)).map((document) => document.toJS());
}

async function overlayIn(namespace: string): Promise<string> {
  const folder = join(cluster.folder, `overlay-${namespace}`);
  await mkdir(folder, { recursive: true });
  const resources = [relative(folder, KUSTOMIZATION)];
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify({ namespace, resources }));
  return folder;
}

/** As kubectl names a resource that may be of another group than the core: `deployments.apps`. */
function qualified(kind: Kind): string {
  const { apiVersion, list } = KINDS[kind];
  const [group, version] = apiVersion.split('/');
  return version === undefined ? list : `${list}.${group}`;
}

interface Scope {
  /** The one that is asked about; all of them if none is given. */
  readonly namespace?: string;
  /** Where the server runs. */
  readonly installedIn?: string;
}

async function mayServer(verb: string, resource: string, { namespace, installedIn = 'rwo-guard' }: Scope = {}) {
  const account = `--as=system:serviceaccount:${installedIn}:rwo-guard`;
  const where = namespace === undefined ? '--all-namespaces' : `--namespace=${namespace}`;
  const args = ['auth', 'can-i', verb, resource, account, where];
  const { stdout } = await cluster.kubectl(cluster.adminKubeconfig, args);
  return stdout.trim();
}
