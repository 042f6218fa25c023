import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programs } from './build.ts';
import type { Identity, KeyPair, ServingNames } from './certificate-authority.ts';
import { type ComponentName, commandLines } from './command-lines.ts';
import { Component, type ComponentOptions } from './component.ts';
import { type Etcd, etcdAt } from './etcd.ts';
import { type Identities, identities } from './identities.ts';
import { kubeconfig } from './kubeconfig.ts';
import { type KubectlOptions, type KubectlResult, runKubectl } from './kubectl.ts';
import { grantKubelets, KWOK_IDENTITY } from './kubelet-role.ts';
import { type KubernetesApi, kubernetesApi } from './kubernetes-api.ts';
import { createLayout, type Layout } from './layout.ts';
import { startReaper } from './reaper.ts';
import { grantEdit, type PolicyRule } from './role.ts';
import { type KwokStages, stageFiles } from './stages.ts';
import { until } from './until.ts';
import { publishWebhookService, type WebhookService } from './webhook-endpoints.ts';

/** etcd and the API server always run; everything else only when asked for. */
export interface ControlPlaneOptions {
  readonly controllerManager?: boolean;
  readonly scheduler?: boolean;
  /** Keeps nodes Ready; by default it also runs pods, attached or not, and attaches every volume at once. */
  readonly kwok?: boolean | KwokStages;
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

/** The fields of an audit event that tests look at. */
export interface AuditEvent {
  readonly verb: string;
  readonly stage: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string; readonly reason?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { controllerManager = false, scheduler = false, kwok = false } = options;
  const found = await programs([
    'etcd',
    'kube-apiserver',
    'kubectl',
    ...(controllerManager ? (['kube-controller-manager'] as const) : []),
    ...(scheduler ? (['kube-scheduler'] as const) : []),
    ...(kwok ? (['kwok'] as const) : []),
  ]);
  const layout = await createLayout();
  const reaper = startReaper({ signal: 'KILL', remove: layout.etcdData });
  const components = new Map<ComponentName, Component>();
  removeAtExit(layout, components);

  const api = kubernetesApi(layout.cluster, { token: layout.token });
  const who = identities(layout, api);
  const etcd = etcdAt(layout.etcdUrl);
  const commands = commandLines(layout, found);
  const flagsOf = (name: ComponentName) => options.flags?.[name] ?? [];

  const run = async (name: ComponentName, command: ComponentOptions) => {
    const component = new Component(command, reaper);
    components.set(name, component);
    await component.start();
  };
  const stop = async () => {
    await Promise.all([...components.values()].map((component) => component.kill()));
    await api.close();
    await reaper.stop();
  };

  async function startAll(): Promise<void> {
    await run('etcd', commands.etcd(etcd));
    const auditLog = options.auditLog ?? false;
    const apiServerFlags = flagsOf('kube-apiserver');
    await run(
      'kube-apiserver',
      commands.apiServer({ auditLog, serviceAccounts: controllerManager, flags: apiServerFlags }),
    );
    await grantKubelets(api);
    await Promise.all([
      controllerManager && startControllerManager(),
      scheduler &&
        run(
          'kube-scheduler',
          commands.scheduler(await clientOptions('kube-scheduler', { user: 'system:kube-scheduler' })),
        ),
      kwok && startKwok(kwok === true ? {} : kwok),
    ]);
  }

  async function clientOptions(name: ComponentName, identity: Identity) {
    return { kubeconfigFile: await who.kubeconfigFor(identity), flags: flagsOf(name) };
  }

  async function startControllerManager(): Promise<void> {
    const client = await clientOptions('kube-controller-manager', { user: 'system:kube-controller-manager' });
    await run('kube-controller-manager', commands.controllerManager({ ...client, nodesAreKeptReady: Boolean(kwok) }));
    // Pods of the default namespace are refused before.
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'default' };
    await until('the default service account', () => api.find(account));
  }

  async function startKwok(stages: KwokStages): Promise<void> {
    const client = await clientOptions('kwok', KWOK_IDENTITY);
    await run('kwok', commands.kwok({ ...client, stageFiles: stageFiles(found.kwokStages, stages) }));
  }

  try {
    await startAll();
  } catch (error) {
    await stop();
    throw error;
  }

  const component = (name: ComponentName) => {
    const known = components.get(name);
    if (known === undefined) throw new Error(`${name} is not part of this control plane: ask for it when starting it`);
    return known;
  };
  const adminKubeconfig = join(layout.folder, 'admin.kubeconfig');
  await writeFile(adminKubeconfig, kubeconfig(layout.cluster, { token: layout.token }), { mode: 0o600 });
  return {
    ...layout.cluster,
    ...who,
    folder: layout.folder,
    api,
    adminKubeconfig,
    etcd,
    async person(identity, rules) {
      await grantEdit(api, identity, rules);
      return who.kubeconfigFor(identity);
    },
    kubectl: (file, args, kubectlOptions) =>
      runKubectl({ program: found.path.kubectl, home: layout.home, reaper }, file, args, kubectlOptions),
    publishWebhookService: (service) => publishWebhookService(api, service),
    servingCertificate: (names) => layout.authority.servingCertificate(names),
    auditEvents: () => auditEvents(layout.auditLog),
    compactEtcd: () => etcd.compact(),
    pause: (name) => component(name).pause(),
    resume: (name) => component(name).resume(),
    kill: (name) => component(name).kill(),
    async restart(name) {
      await component(name).kill();
      await component(name).start();
    },
    log: (name) => readFile(join(layout.folder, `${name}.log`), 'utf8'),
    stop,
  };
}

/** Whether the logs are wanted is only known when the test process ends: its exit code says so. */
function removeAtExit({ folder }: Layout, components: ReadonlyMap<string, Component>): void {
  process.once('exit', (code) => {
    const failed = code !== 0 || [...components.values()].some((component) => component.failed);
    if (failed) process.stderr.write(`control plane: the logs are kept in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  });
}

async function auditEvents(file: string): Promise<readonly AuditEvent[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  // The last piece is empty, or an event that is being written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as AuditEvent);
}
