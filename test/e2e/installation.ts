import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesApi, KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { type AdmissionRecorder, recordAdmission } from './admission-recorder.ts';
import { deployment, NAMESPACES } from './admission-requests.ts';

/** Where tests install: in the namespace that the manifests name, and in one of another name. */
export const INSTALLED_IN = ['rwo-guard', 'elsewhere'] as const;

export const KUSTOMIZATION = join(import.meta.dirname, '../../manifests/kustomize/base');

/** The fields that tests look at. */
export interface WebhookConfiguration extends KubernetesObject {
  readonly metadata?: KubernetesObject['metadata'] & { readonly generation?: number };
  readonly webhooks: readonly {
    readonly name: string;
    readonly failurePolicy: string;
    readonly clientConfig: { readonly service: { readonly namespace: string }; readonly caBundle?: string };
    readonly namespaceSelector: { readonly matchExpressions: readonly { readonly values?: readonly string[] }[] };
  }[];
}

/** Runs kubectl as the cluster's administrator and gives what it says; it has to succeed. */
export async function kubectl(cluster: ControlPlane, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(cluster.adminKubeconfig, args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
}

/** The two configurations as the API server has them. */
export function webhookConfigurations(api: KubernetesApi): Promise<readonly WebhookConfiguration[]> {
  const kinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
  return Promise.all(kinds.map((kind) => api.get<WebhookConfiguration>(configurationKey(kind))));
}

/** Those of guards as well, where they are there. */
export async function allWebhookConfigurations(
  api: KubernetesApi,
): Promise<readonly (WebhookConfiguration & { readonly kind: string })[]> {
  const kinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
  const lists = kinds.map(async (kind) => {
    const { apiVersion } = configurationKey(kind);
    const all = await api.list<WebhookConfiguration>({ apiVersion, kind });
    return all.filter(({ metadata }) => metadata?.name?.startsWith('rwo-guard')).map((one) => ({ ...one, kind }));
  });
  return (await Promise.all(lists)).flat();
}

/** A cluster with the manifests applied, and a recorder where their Service leads. */
export interface RecordedInstallation {
  readonly cluster: ControlPlane;
  readonly recorder: AdmissionRecorder;
  stop(): Promise<void>;
}

export async function installRecorded(options: ControlPlaneOptions = {}): Promise<RecordedInstallation> {
  const authority = createCertificateAuthority();
  const recorder = await recordAdmission(authority.servingCertificate({ dns: ['rwo-guard.rwo-guard.svc'], ips: [] }));
  const cluster = await startControlPlane(options);
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  await giveEntriesTheirOwnPaths(cluster.api, authority.certificate);
  const endpoints = [{ port: recorder.port }];
  await cluster.publishWebhookService({ namespace: 'rwo-guard', service: 'rwo-guard', endpoints });
  await createNamespaces(cluster.api);
  await until('every entry is in force', async () => {
    for (const namespace of ['unset', 'enforce', 'mutate']) {
      await cluster.api.create(deployment(namespace), { dryRun: true });
    }
    return new Set(recorder.take().map(({ entry }) => entry)).size === 3;
  });
  return {
    cluster,
    recorder,
    async stop() {
      recorder.close();
      await cluster.stop();
    },
  };
}

async function createNamespaces(api: KubernetesApi): Promise<void> {
  for (const [name, ours] of Object.entries(NAMESPACES)) {
    const labels = Object.fromEntries(Object.entries(ours).map(([key, value]) => [`rwo-guard.dev/${key}`, value]));
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  }
}

/** Gives each entry a path of its own, which tells a recorder who called, and the authority that it is to believe. */
export async function giveEntriesTheirOwnPaths(api: KubernetesApi, authority: string): Promise<void> {
  const caBundle = Buffer.from(authority).toString('base64');
  for (const { kind = '', webhooks } of await webhookConfigurations(api)) {
    const patch = webhooks.flatMap(({ name }, index) => [
      { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle },
      { op: 'replace', path: `/webhooks/${index}/clientConfig/service/path`, value: `/${name}` },
    ]);
    await api.patch(configurationKey(kind), 'json', patch);
  }
}

export function configurationKey(kind: string, name = 'rwo-guard') {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, name };
}
