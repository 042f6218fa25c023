import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CertificateAuthority, Identity } from './certificate-authority.ts';
import { type Cluster, type Credentials, kubeconfig } from './kubeconfig.ts';
import { type KubernetesApi, KubernetesApiError, kubernetesApi } from './kubernetes-api.ts';

export interface TokenOptions {
  /** The API server gives no token for less than ten minutes. */
  readonly expirationSeconds?: number;
  readonly audiences?: readonly string[];
}

/** Who may talk to the API server, and with what in hand. */
export interface Identities {
  /** Writes a kubeconfig with a client certificate for any user in any groups, and gives its path. */
  kubeconfigFor(identity: Identity): Promise<string>;
  apiAs(identity: Identity): KubernetesApi;
  /** A token as the kubelet would mount it, from the TokenRequest API. The service account must exist. */
  serviceAccountToken(namespace: string, name: string, options?: TokenOptions): Promise<string>;
  /** Writes a kubeconfig that names a token file, and gives both paths: the token can be replaced while a client runs. */
  serviceAccountKubeconfig(namespace: string, name: string, options?: TokenOptions): Promise<ServiceAccountFiles>;
}

export interface ServiceAccountFiles {
  readonly kubeconfig: string;
  readonly token: string;
}

export interface IdentitiesOptions {
  readonly authority: CertificateAuthority;
  readonly cluster: Cluster;
  readonly folder: string;
}

/** The certificates work before the API server runs; `api` is only used for tokens. */
export function identities({ authority, cluster, folder }: IdentitiesOptions, api: KubernetesApi): Identities {
  let written = 0;
  async function writeKubeconfig(name: string, credentials: Credentials): Promise<string> {
    written += 1;
    const file = join(folder, `${written}-${fileName(name)}.kubeconfig`);
    await writeFile(file, kubeconfig(cluster, credentials), { mode: 0o600 });
    return file;
  }

  async function serviceAccountToken(namespace: string, name: string, options: TokenOptions = {}): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const { status, body } = await api.request<TokenRequest>('POST', path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: options.expirationSeconds ?? 3600, audiences: options.audiences ?? [] },
    });
    if (body.status?.token === undefined) throw new KubernetesApiError(`POST ${path}`, status, body);
    return body.status.token;
  }

  return {
    kubeconfigFor: (identity) => writeKubeconfig(identity.user, authority.clientCertificate(identity)),
    apiAs: (identity) => kubernetesApi(cluster, authority.clientCertificate(identity)),
    serviceAccountToken,
    async serviceAccountKubeconfig(namespace, name, options) {
      // A file of its own: of one that two share, the first would read nothing while the second is written.
      const token = join(folder, `${written + 1}-${namespace}-${name}.token`);
      written += 1;
      await writeFile(token, await serviceAccountToken(namespace, name, options), { mode: 0o600 });
      return { kubeconfig: await writeKubeconfig(`${namespace}-${name}`, { tokenFile: token }), token };
    },
  };
}

interface TokenRequest {
  readonly status?: { readonly token?: string };
}

/** User names hold colons and slashes. */
function fileName(user: string): string {
  return user.replaceAll(/[^A-Za-z0-9.-]+/g, '-');
}
