import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CertificateAuthority, createCertificateAuthority, serviceAccountKey } from './certificate-authority.ts';
import { type Cluster, kubeconfig } from './kubeconfig.ts';
import { freePorts } from './network.ts';

export interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
  readonly controllerManager: number;
  readonly scheduler: number;
  readonly kwok: number;
}

/** Where the parts of one control plane are. Everything is in one folder, made for one run. */
export interface Layout {
  readonly folder: string;
  readonly home: string;
  readonly etcdData: string;
  readonly auditLog: string;
  readonly ports: Ports;
  readonly etcdUrl: string;
  readonly cluster: Cluster;
  readonly authority: CertificateAuthority;
  /** Of the one member of system:masters, which is the harness. */
  readonly token: string;
  readonly files: LayoutFiles;
}

export interface LayoutFiles {
  readonly authority: string;
  readonly servingCertificate: string;
  readonly servingKey: string;
  readonly serviceAccountPublicKey: string;
  readonly serviceAccountPrivateKey: string;
  readonly tokens: string;
  readonly adminKubeconfig: string;
}

export const LOOPBACK = '127.0.0.1';

/** Makes the folder, takes the ports and writes the keys, certificates and tokens. */
export async function createLayout(): Promise<Layout> {
  const [etcd = 0, etcdPeer = 0, apiServer = 0, controllerManager = 0, scheduler = 0, kwok = 0] = await freePorts(6);
  const ports = { etcd, etcdPeer, apiServer, controllerManager, scheduler, kwok };
  const folder = mkdtempSync(join(tmpdir(), 'rwo-guard-control-plane-'));
  const authority = createCertificateAuthority();
  const token = randomBytes(24).toString('hex');
  const cluster = { server: `https://${LOOPBACK}:${apiServer}`, certificateAuthority: authority.certificate };
  const home = join(folder, 'home');
  mkdirSync(home);
  return {
    folder,
    home,
    etcdData: join(folder, 'etcd-data'),
    auditLog: join(folder, 'audit.log'),
    ports,
    etcdUrl: `http://${LOOPBACK}:${etcd}`,
    cluster,
    authority,
    token,
    files: writeFiles(join(folder, 'pki'), authority, token, kubeconfig(cluster, { token })),
  };
}

function writeFiles(
  folder: string,
  authority: CertificateAuthority,
  token: string,
  adminKubeconfig: string,
): LayoutFiles {
  mkdirSync(folder);
  const write = (name: string, content: string) => {
    const file = join(folder, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  const serving = authority.servingCertificate({
    dns: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ips: [LOOPBACK],
  });
  const serviceAccount = serviceAccountKey();
  return {
    authority: write('ca.crt', authority.certificate),
    servingCertificate: write('serving.crt', serving.certificate),
    servingKey: write('serving.key', serving.key),
    serviceAccountPublicKey: write('service-account.pub', serviceAccount.publicKey),
    serviceAccountPrivateKey: write('service-account.key', serviceAccount.privateKey),
    tokens: write('tokens.csv', `${token},test-harness,test-harness,system:masters\n`),
    adminKubeconfig: write('admin.kubeconfig', adminKubeconfig),
  };
}
