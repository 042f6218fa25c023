import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesApi, KubernetesObject } from '../control-plane/kubernetes-api.ts';

export const KUSTOMIZATION = join(import.meta.dirname, '../../manifests/kustomize');

/** The fields that tests look at. */
export interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks: readonly {
    readonly name: string;
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

function configurationKey(kind: string) {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, name: 'rwo-guard' };
}
