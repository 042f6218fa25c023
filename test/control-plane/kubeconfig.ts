import { stringify } from 'yaml';
import type { KeyPair } from './certificate-authority.ts';

/** How a client proves who it is. A token file is read again by clients that follow it, a token is not. */
export type Credentials = KeyPair | { readonly token: string } | { readonly tokenFile: string };

export interface Cluster {
  readonly server: string;
  readonly certificateAuthority: string;
}

/** A kubeconfig that needs no other file, but for the token file if that is what was asked for. */
export function kubeconfig({ server, certificateAuthority }: Cluster, credentials: Credentials): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } }],
    users: [{ name: 'test', user: userEntry(credentials) }],
  });
}

function userEntry(credentials: Credentials): Readonly<Record<string, string>> {
  if ('token' in credentials) return { token: credentials.token };
  if ('tokenFile' in credentials) return { tokenFile: credentials.tokenFile };
  return {
    'client-certificate-data': base64(credentials.certificate),
    'client-key-data': base64(credentials.key),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
