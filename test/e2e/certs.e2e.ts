import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { V1ManagedFieldsEntry, V1Secret } from '@kubernetes/client-node';
import {
  type CertificateSource,
  type CertificatesApi,
  kubernetesApi,
  requestRotation,
  serviceNames,
  startCertificates,
  type WebhookConfigurationName,
} from '../../certs/index.ts';
import { realWorld } from '../../certs/world.ts';
import { loadKubeConfig } from '../../src/cluster/kube-config.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { type AdmissionRecorder, recordAdmission } from './admission-recorder.ts';
import { deployment } from './admission-requests.ts';
import { KUSTOMIZATION, kubectl, webhookConfigurations } from './installation.ts';

const SECRET = { namespace: 'rwo-guard', name: 'rwo-guard-tls' };
const SECRET_KEY = { apiVersion: 'v1', kind: 'Secret', ...SECRET };
const VALIDATING: WebhookConfigurationName = { kind: 'ValidatingWebhookConfiguration', name: 'rwo-guard' };
const MUTATING: WebhookConfigurationName = { kind: 'MutatingWebhookConfiguration', name: 'rwo-guard' };
const REGISTRATION = { apiVersion: 'admissionregistration.k8s.io/v1' };

const complaints: string[] = [];
/** As pino writes it, with the message of an error. */
const readable = (_key: string, value: unknown) => (value instanceof Error ? value.message : value);
const complain = (fields: object, message: string) =>
  complaints.push(`${message}: ${JSON.stringify(fields, readable)}`);
const log = { info() {}, warn: complain, error: complain };
/** Why a replica was not ready once it had been. */
const unready = new Set<string>();
/** Twenty times as fast. */
const hurried = {
  ...realWorld,
  elapsed: () => realWorld.elapsed() * 20,
  async sleep(milliseconds: number, signal: AbortSignal) {
    for (const state of replicas.map((replica) => replica.ready())) if (!state.ready) unready.add(state.because);
    await realWorld.sleep(milliseconds / 20, signal);
  },
};

let cluster: ControlPlane;
let api: CertificatesApi;
let replicas: readonly CertificateSource[] = [];
let recorder: AdmissionRecorder | undefined;

before(async () => {
  cluster = await startControlPlane();
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  api = await asServer();
});

after(async () => {
  recorder?.close();
  await Promise.all(replicas.map((replica) => replica.stop()));
  await cluster.stop();
});

test('what the manifests say, and who says it, is left as it is when caBundle is set', async () => {
  const before = await webhookConfigurations(cluster.api);
  for (const name of [VALIDATING, MUTATING]) {
    const configuration = await api.getConfiguration(name);
    assert.ok(configuration);
    assert.equal(await api.applyCaBundle(configuration, certificateText('first')), 'written');
  }
  const after = await webhookConfigurations(cluster.api);
  assert.deepEqual(after.map(withoutCaBundle), before.map(withoutCaBundle));
  for (const [i, configuration] of after.entries()) {
    const [theirs, ours] = owners(configuration);
    assert.deepEqual(theirs, owners(before[i])[0]);
    assert.equal(ours?.manager, 'rwo-guard-ca-injection');
    assert.equal(ours.operation, 'Apply');
    const entry = { '.': {}, 'f:clientConfig': { 'f:caBundle': {} }, 'f:name': {} };
    const owned = configuration.webhooks.map(({ name }) => [`k:${JSON.stringify({ name })}`, entry]);
    assert.deepEqual(ours.fieldsV1, { 'f:webhooks': Object.fromEntries(owned) });
  }
});

test('a caBundle is not set in what changed since it was read: nothing is created, no entry comes back', async () => {
  const read = await api.getConfiguration(VALIDATING);
  assert.ok(read);
  const key = { ...REGISTRATION, ...VALIDATING };
  await cluster.api.patch(key, 'json', [{ op: 'remove', path: '/webhooks/1' }]);
  assert.equal(await api.applyCaBundle(read, certificateText('second')), 'lost');
  assert.deepEqual(
    (await api.getConfiguration(VALIDATING))?.entries.map(({ name }) => name),
    ['enforce.rwo-guard.dev'],
  );
  await cluster.api.delete(key);
  assert.equal(await api.applyCaBundle(read, certificateText('second')), 'lost');
  assert.equal(await api.getConfiguration(VALIDATING), undefined);
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  assert.equal(await api.applyCaBundle(read, certificateText('second')), 'lost', 'another one of the same name');
});

test('a Secret is created once, replaced only in the version that was read, and keeps its labels', async () => {
  await cluster.api.delete(SECRET_KEY); // the empty one of the manifests
  assert.equal(await api.getSecret(SECRET), undefined);
  const creations = await Promise.all([1, 2, 3].map((n) => api.createSecret(SECRET, tlsData(`first ${n}`))));
  assert.deepEqual(creations.sort(), ['lost', 'lost', 'written']);
  const label = { metadata: { labels: { 'example.com/owner': 'somebody' } } };
  await cluster.api.patch(SECRET_KEY, 'merge', label);
  const stored = await api.getSecret(SECRET);
  assert.ok(stored);
  const updates = await Promise.all(
    [1, 2, 3].map((n) => api.updateSecret(SECRET, tlsData(`second ${n}`), stored.resourceVersion)),
  );
  assert.deepEqual(updates.sort(), ['lost', 'lost', 'written']);
  const secret = await cluster.api.get<V1Secret>(SECRET_KEY);
  assert.equal(secret.type, 'kubernetes.io/tls');
  assert.equal(secret.metadata?.labels?.['example.com/owner'], 'somebody');
  assert.match((await api.getSecret(SECRET))?.data['tls.crt'] ?? '', /^second/);
  await cluster.api.delete(SECRET_KEY);
  assert.equal(await api.updateSecret(SECRET, tlsData('third'), stored.resourceVersion), 'lost');
});

test('who may not read the Secret is told what to compare', async () => {
  const jane = kubernetesApi(loadKubeConfig({ kubeconfig: await cluster.person({ user: 'jane' }, []) }));
  await assert.rejects(jane.getConfiguration(VALIDATING), {
    code: 'API_REFUSED',
    message: /does not let us get ValidatingWebhookConfiguration rwo-guard: compare .* with manifests/,
  });
});

test('two replicas that start at once agree on one certificate, and the API server calls it', async () => {
  replicas = await Promise.all([startReplica(), startReplica()]);
  await until('both are ready', async () => replicas.every((replica) => replica.caBundle().state === 'in-sync'));
  unready.clear();
  const [one, two] = replicas.map((replica) => replica.current());
  assert.ok(one);
  assert.equal(one.fingerprint, two?.fingerprint);
  assert.deepEqual(
    replicas.map((replica) => replica.ready()),
    [{ ready: true }, { ready: true }],
  );

  recorder = await recordAdmission(one);
  const endpoints = [{ port: recorder.port }];
  await cluster.publishWebhookService({ namespace: 'rwo-guard', service: 'rwo-guard', endpoints });
  await arrives();
});

test('a caBundle that was wiped, entry by entry or with the whole configuration, is there again', async () => {
  const key = { ...REGISTRATION, ...VALIDATING };
  await cluster.api.patch(key, 'json', [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }]);
  await inSync();
  await cluster.api.delete(key);
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  await inSync();
  await arrives();
});

test('a Secret that was deleted is there again, and both replicas serve what is in it', async () => {
  const [before] = replicas.map((replica) => replica.current()?.fingerprint);
  await cluster.api.delete(SECRET_KEY);
  await until('both have followed', async () => {
    const [one, two] = replicas.map((replica) => replica.current()?.fingerprint);
    return one !== before && one === two;
  });
  await inSync();
  await arrives();
});

test('an upgrade by kubectl or by Helm 4, which apply server-side, neither conflicts nor takes caBundle away', async () => {
  const before = await caBundles();
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  await kubectl(cluster, 'apply', '--server-side', '--field-manager=helm', '--force-conflicts', '-k', KUSTOMIZATION);
  await kubectl(cluster, 'apply', '--server-side', '--field-manager=helm', '-k', KUSTOMIZATION);
  assert.deepEqual(await caBundles(), before);
});

test('a caBundle that another manager takes over by force is ours again', async () => {
  const webhooks = [{ name: 'enforce.rwo-guard.dev', clientConfig: { caBundle: btoa(certificateText('theirs')) } }];
  const theirs = { ...REGISTRATION, kind: VALIDATING.kind, metadata: { name: VALIDATING.name }, webhooks };
  await cluster.api.apply(theirs, { fieldManager: 'somebody' });
  await inSync();
  await arrives();
});

test('a new CA follows where it was asked for, and a Secret from before it can be put back', async () => {
  const backup = await api.getSecret(SECRET);
  assert.ok(backup);
  const request = await requestRotation(api, SECRET, { distrustOld: false });
  await until('the new CA signs', () => request.isDone());
  await inSync();
  await arrives();
  const rotated = await api.getSecret(SECRET);
  await api.updateSecret(SECRET, backup.data, rotated?.resourceVersion ?? '');
  await until('both serve what was put back', async () =>
    replicas.every((replica) => replica.current()?.certificate === backup.data['tls.crt']),
  );
  await inSync();
  assert.ok((await caBundles()).every((caBundle) => caBundle.length > (backup.data['ca.crt']?.length ?? 0)));
  await arrives();
});

test('in all of this no replica had anything to complain of, nor was it ever unready', () => {
  assert.deepEqual(complaints, []);
  assert.deepEqual([...unready], []);
});

test('a replica that may not read the Secret is not ready, and says so in one line until it may', async () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', namespace: 'rwo-guard' };
  await cluster.api.delete({ ...role, name: 'rwo-guard-serving-certificate' });
  await until('the right is gone', async () =>
    api.getSecret(SECRET).then(
      () => false,
      () => true,
    ),
  );
  await Promise.all(replicas.map((replica) => replica.stop()));
  complaints.length = 0;
  replicas = [await startReplica()];
  await until('it has looked', async () => complaints.length > 0);
  const state = replicas[0]?.ready();
  assert.ok(state && !state.ready);
  assert.equal(state.reason, 'no-certificate');
  assert.match(
    state.because,
    /^the API server does not let us get Secret rwo-guard\/rwo-guard-tls: compare .*forbidden/,
  );
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  await until('it is ready', async () => replicas[0]?.ready().ready);
  assert.equal(complaints.length, 1);
});

test('an API server that is away leaves ready what was ready, and is found again', async () => {
  complaints.length = 0;
  unready.clear();
  await cluster.kill('kube-apiserver');
  await until('it is missed', async () => complaints.length > 0);
  await cluster.restart('kube-apiserver');
  await inSync();
  await arrives();
  assert.match(complaints[0] ?? '', /check that the API server can be reached/);
  assert.deepEqual([...unready], []);
});

/** With the rights that the manifests give, and no others. */
async function asServer(): Promise<CertificatesApi> {
  const files = await cluster.serviceAccountKubeconfig('rwo-guard', 'rwo-guard');
  return kubernetesApi(loadKubeConfig(files));
}

async function startReplica(): Promise<CertificateSource> {
  return startCertificates({
    from: 'secret',
    api: await asServer(),
    secret: SECRET,
    configurations: [VALIDATING, MUTATING],
    names: serviceNames('rwo-guard', 'rwo-guard'),
    log,
    world: hurried,
  });
}

/** A review that the API server sends: it has verified the certificate then. */
async function arrives(): Promise<void> {
  recorder?.take();
  await until('a review arrives', async () => {
    await cluster.api.create(deployment('default'), { dryRun: true });
    return (recorder?.take().length ?? 0) > 0;
  });
}

async function inSync(): Promise<void> {
  await until('every entry has the caBundle of the Secret', async () => {
    const trusted = (await api.getSecret(SECRET))?.data['ca.crt'];
    const found = await caBundles();
    return found.length === 3 && found.every((caBundle) => caBundle === trusted);
  });
}

async function caBundles(): Promise<readonly string[]> {
  const found = await Promise.all([VALIDATING, MUTATING].map((name) => api.getConfiguration(name)));
  return found.flatMap((configuration) => configuration?.entries.map(({ caBundle }) => caBundle) ?? []);
}

type Configuration = Awaited<ReturnType<typeof webhookConfigurations>>[number];

function withoutCaBundle({ metadata: { name, labels, annotations } = {}, webhooks }: Configuration) {
  const bare = webhooks.map(({ clientConfig: { caBundle: _, ...clientConfig }, ...rest }) => ({
    ...rest,
    clientConfig,
  }));
  return { name, labels, annotations, webhooks: bare };
}

/** Whose fields are whose: the manifests' first, ours after. */
function owners(configuration: Configuration | undefined): readonly V1ManagedFieldsEntry[] {
  const entries: readonly V1ManagedFieldsEntry[] = Reflect.get(configuration?.metadata ?? {}, 'managedFields') ?? [];
  return entries.toSorted((one, other) => Number(one.operation === 'Apply') - Number(other.operation === 'Apply'));
}

function certificateText(content: string): string {
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(content).toString('base64')}\n-----END CERTIFICATE-----\n`;
}

function tlsData(content: string): Readonly<Record<string, string>> {
  return { 'tls.crt': content, 'tls.key': content };
}
