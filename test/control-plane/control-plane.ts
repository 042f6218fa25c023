import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditEvent, readAuditLog } from './audit-log.ts';
import { type Program, programs } from './build.ts';
import type { Identity, KeyPair, ServingNames } from './certificate-authority.ts';
import type { ComponentName } from './command-lines.ts';
import { ComponentSet } from './component-set.ts';
import { type Etcd, etcdAt } from './etcd.ts';
import { type Identities, identities } from './identities.ts';
import { type KubectlOptions, type KubectlResult, runKubectl } from './kubectl.ts';
import { type KubernetesApi, kubernetesApi } from './kubernetes-api.ts';
import { createLayout, type Layout } from './layout.ts';
import { startReaper } from './reaper.ts';
import { grantEdit, type PolicyRule } from './role.ts';
import type { KwokStages } from './stages.ts';
import { startComponents } from './start-components.ts';
import { publishWebhookService, type WebhookService } from './webhook-endpoints.ts';

/** etcd and the API server always run; everything else only when asked for. */
export interface ControlPlaneOptions {
  readonly controllerManager?: boolean;
  readonly scheduler?: boolean;
  /** Keeps nodes Ready; by default it also runs pods, attached or not, and attaches every volume at once. */
  readonly kwok?: boolean | KwokStages;
  /** Whether the test sends the nodes' heartbeats itself. Without those, and without KWOK's, no controller declares nodes lost. */
  readonly heartbeats?: boolean;
  /** Writes of everybody, with the annotations of admission webhooks; read with `auditEvents()`. */
  readonly auditLog?: boolean;
  /** Added to the command line of a component, where the last one wins. */
  readonly flags?: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
}

/** A running control plane. All of its parts listen on the loopback, on ports of their own. */
export interface ControlPlane extends Identities {
  readonly server: string;
  readonly certificateAuthority: string;
  /** Logs, keys and kubeconfigs. Removed when this process ends well, and kept otherwise. */
  readonly folder: string;
  /** As system:masters, which only the harness is. */
  readonly api: KubernetesApi;
  readonly adminKubeconfig: string;
  readonly etcd: Etcd;

  /** Makes an ordinary user with `edit` in all namespaces plus `rules` (nodes and storage by default); gives its kubeconfig. */
  person(identity: Identity, rules?: readonly PolicyRule[]): Promise<string>;
  kubectl(kubeconfigFile: string, args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
  publishWebhookService(service: WebhookService): Promise<void>;
  /** For a webhook that brings no certificates of its own; `certificateAuthority` is its caBundle. */
  servingCertificate(names: ServingNames): KeyPair;
  auditEvents(): Promise<readonly AuditEvent[]>;
  /**
   * Forgets all old revisions. An API server with a watch cache answers 410 only after a restart as well; one started with
   * `--watch-cache=false` does at once.
   */
  compactEtcd(): Promise<number>;

  /** Makes a component silent: its connections stay open. */
  pause(component: ComponentName): void;
  resume(component: ComponentName): void;
  kill(component: ComponentName): Promise<void>;
  /** Kills it if it runs, and starts it again with the same command line on the same ports. */
  restart(component: ComponentName): Promise<void>;
  log(component: ComponentName): Promise<string>;
  stop(): Promise<void>;
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const found = await programs(neededFor(options));
  const layout = await createLayout();
  const reaper = startReaper({ signal: 'KILL', remove: layout.etcdData });
  const components = new ComponentSet(reaper);
  removeAtExit(layout, components);
  const api = kubernetesApi(layout.cluster, { token: layout.token });
  const who = identities(layout, api);
  const etcd = etcdAt(layout.etcdUrl);

  const stop = async () => {
    await components.killAll();
    await api.close();
    await reaper.stop();
  };
  try {
    await startComponents({ layout, programs: found, components, api, etcd, identities: who }, options);
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    ...layout.cluster,
    ...who,
    folder: layout.folder,
    api,
    adminKubeconfig: layout.files.adminKubeconfig,
    etcd,
    async person(identity, rules) {
      await grantEdit(api, identity, rules);
      return who.kubeconfigFor(identity);
    },
    kubectl: (file, args, kubectlOptions) =>
      runKubectl({ program: found.path.kubectl, home: layout.home, reaper }, file, args, kubectlOptions),
    publishWebhookService: (service) => publishWebhookService(api, service),
    servingCertificate: (names) => layout.authority.servingCertificate(names),
    auditEvents: () => readAuditLog(layout.auditLog),
    compactEtcd: () => etcd.compact(),
    pause: (name) => components.get(name).pause(),
    resume: (name) => components.get(name).resume(),
    kill: (name) => components.get(name).kill(),
    restart: (name) => components.restart(name),
    log: (name) => readFile(join(layout.folder, `${name}.log`), 'utf8'),
    stop,
  };
}

function neededFor({ controllerManager, scheduler, kwok }: ControlPlaneOptions): readonly Program[] {
  const needed: Program[] = ['etcd', 'kube-apiserver', 'kubectl'];
  if (controllerManager) needed.push('kube-controller-manager');
  if (scheduler) needed.push('kube-scheduler');
  if (kwok) needed.push('kwok');
  return needed;
}

/** Whether the logs are wanted is only known when the test process ends: its exit code says so. */
function removeAtExit({ folder }: Layout, components: ComponentSet): void {
  process.once('exit', (code) => {
    if (code !== 0 || components.anyFailed) process.stderr.write(`control plane: the logs are kept in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  });
}
