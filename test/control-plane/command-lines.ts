import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { Programs } from './build.ts';
import type { ComponentOptions } from './component.ts';
import type { Etcd } from './etcd.ts';
import { type Layout, LOOPBACK } from './layout.ts';

export type ComponentName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

/** How each component of one control plane is started, and how it is known to be ready. */
export interface CommandLines {
  etcd(etcd: Etcd, flags: readonly string[]): ComponentOptions;
  apiServer(options: ApiServerOptions): ComponentOptions;
  controllerManager(options: ControllerManagerOptions): ComponentOptions;
  scheduler(options: ClientOptions): ComponentOptions;
  kwok(options: KwokOptions): ComponentOptions;
}

export interface ApiServerOptions {
  readonly auditLog: boolean;
  readonly serviceAccounts: boolean;
  readonly flags: readonly string[];
}

export interface ClientOptions {
  readonly kubeconfigFile: string;
  readonly flags: readonly string[];
}

export interface ControllerManagerOptions extends ClientOptions {
  readonly nodesAreKeptReady: boolean;
}

export interface KwokOptions extends ClientOptions {
  readonly stageFiles: readonly string[];
}

/** The default of 20 requests a second is meant to protect a shared API server, and would be what a test waits for. */
const FAST_CLIENT: readonly string[] = ['--kube-api-qps=1000', '--kube-api-burst=2000'];

/** The harness says where a webhook listens, also for a Service with a selector: the pods of stand-in kubelets listen nowhere. */
const ENDPOINT_CONTROLLERS = ['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller'];

/** Without heartbeats these declare every node lost and evict its pods. */
const HEARTBEAT_CONTROLLERS = ['node-lifecycle-controller', 'taint-eviction-controller'];

export function commandLines(layout: Layout, programs: Programs): CommandLines {
  const { files, ports } = layout;
  const placed = (name: ComponentName) => ({
    name,
    program: programs.path[name],
    logFile: join(layout.folder, `${name}.log`),
    home: layout.home,
  });
  /** One certificate for all servers, signed by the harness: whoever shows it was started by this harness. */
  const servingOn = (port: number) => [
    `--bind-address=${LOOPBACK}`,
    `--secure-port=${port}`,
    `--tls-cert-file=${files.servingCertificate}`,
    `--tls-private-key-file=${files.servingKey}`,
  ];
  const probeOf = (port: number, path: string) => () =>
    requireOk(`https://${LOOPBACK}:${port}${path}`, layout.cluster.certificateAuthority);

  return {
    etcd(etcd, flags) {
      const peerUrl = `http://${LOOPBACK}:${ports.etcdPeer}`;
      const name = layout.folder; // nobody else's, so the probe can tell this etcd from another on the same port
      return {
        ...placed('etcd'),
        args: [
          `--name=${name}`,
          `--data-dir=${layout.etcdData}`,
          `--listen-client-urls=${layout.etcdUrl}`,
          `--advertise-client-urls=${layout.etcdUrl}`,
          `--listen-peer-urls=${peerUrl}`,
          `--initial-advertise-peer-urls=${peerUrl}`,
          `--initial-cluster=${name}=${peerUrl}`,
          // The data is thrown away after the test; waiting for the disk would only make it slow.
          '--unsafe-no-fsync',
          ...flags,
        ],
        probe: () => etcd.requireMember(name),
      };
    },

    apiServer: ({ auditLog, serviceAccounts, flags }) => ({
      ...placed('kube-apiserver'),
      args: [
        `--etcd-servers=${layout.etcdUrl}`,
        ...servingOn(ports.apiServer),
        `--advertise-address=${LOOPBACK}`,
        `--client-ca-file=${files.authority}`,
        `--token-auth-file=${files.tokens}`,
        '--authorization-mode=RBAC',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${files.serviceAccountPublicKey}`,
        `--service-account-signing-key-file=${files.serviceAccountPrivateKey}`,
        '--service-cluster-ip-range=10.96.0.0/16',
        // The `kubernetes` Service gets no endpoints: nobody goes that way, and a loopback address is not allowed in them.
        '--endpoint-reconciler-type=none',
        // Webhooks' Services are resolved to endpoints by the API server itself: there is no kube-proxy.
        '--enable-aggregator-routing=true',
        ...(auditLog ? auditFlags(layout.auditLog) : []),
        // The plugin refuses pods without their service account, and only the controller manager makes those.
        ...(serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
        ...flags,
      ],
      probe: probeOf(ports.apiServer, '/readyz'),
    }),

    controllerManager({ kubeconfigFile, nodesAreKeptReady, flags }) {
      const off = [...ENDPOINT_CONTROLLERS, ...(nodesAreKeptReady ? [] : HEARTBEAT_CONTROLLERS)];
      return {
        ...placed('kube-controller-manager'),
        args: [
          ...clientFlags(kubeconfigFile),
          ...servingOn(ports.controllerManager),
          '--leader-elect=false',
          // Each controller with the name and the rights it has on a real cluster.
          '--use-service-account-credentials=true',
          `--service-account-private-key-file=${files.serviceAccountPrivateKey}`,
          `--root-ca-file=${files.authority}`,
          `--controllers=*,${off.map((controller) => `-${controller}`).join(',')}`,
          '--attach-detach-reconcile-sync-period=1s',
          '--pvclaimbinder-sync-period=1s',
          ...FAST_CLIENT,
          ...flags,
        ],
        probe: probeOf(ports.controllerManager, '/healthz'),
      };
    },

    scheduler: ({ kubeconfigFile, flags }) => ({
      ...placed('kube-scheduler'),
      args: [
        ...clientFlags(kubeconfigFile),
        ...servingOn(ports.scheduler),
        '--leader-elect=false',
        ...FAST_CLIENT,
        ...flags,
      ],
      probe: probeOf(ports.scheduler, '/readyz'),
    }),

    kwok: ({ kubeconfigFile, stageFiles, flags }) => ({
      ...placed('kwok'),
      args: [
        `--kubeconfig=${kubeconfigFile}`,
        '--manage-all-nodes=true',
        `--server-address=${LOOPBACK}:${ports.kwok}`,
        ...stageFiles.map((file) => `--config=${file}`),
        ...flags,
      ],
      probe: () => requireOk(`http://${LOOPBACK}:${ports.kwok}/healthz`),
    }),
  };
}

function auditFlags(log: string): readonly string[] {
  return [`--audit-policy-file=${join(import.meta.dirname, 'audit-policy.yaml')}`, `--audit-log-path=${log}`];
}

function clientFlags(kubeconfigFile: string): readonly string[] {
  const flags = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  return flags.map((flag) => `--${flag}=${kubeconfigFile}`);
}

async function requireOk(url: string, ca?: string): Promise<void> {
  // A fresh connection each time: one from before a restart would answer for a process that is gone.
  const dispatcher = new Agent({
    connect: { ...(ca === undefined ? {} : { ca }), timeout: 2_000 },
    headersTimeout: 5_000,
  });
  try {
    const answer = await request(url, { dispatcher });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${text}`);
  } finally {
    await dispatcher.destroy();
  }
}
