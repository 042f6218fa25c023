import type { Programs } from './build.ts';
import type { Identity } from './certificate-authority.ts';
import { type ComponentName, commandLines } from './command-lines.ts';
import type { ComponentSet } from './component-set.ts';
import type { ControlPlaneOptions } from './control-plane.ts';
import type { Etcd } from './etcd.ts';
import type { Identities } from './identities.ts';
import { grantKubelets, KWOK_IDENTITY } from './kubelet-role.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import type { Layout } from './layout.ts';
import { stageFiles } from './stages.ts';
import { until } from './until.ts';

export interface Surroundings {
  readonly layout: Layout;
  readonly programs: Programs;
  readonly components: ComponentSet;
  readonly api: KubernetesApi;
  readonly etcd: Etcd;
  readonly identities: Identities;
}

/** Starts what the options ask for, each component as soon as what it needs is ready. */
export async function startComponents(
  { layout, programs, components, api, etcd, identities }: Surroundings,
  {
    controllerManager = false,
    scheduler = false,
    kwok = false,
    heartbeats = false,
    auditLog = false,
    flags = {},
  }: ControlPlaneOptions,
): Promise<void> {
  const commands = commandLines(layout, programs);
  const flagsOf = (name: ComponentName) => flags[name] ?? [];
  const client = async (name: ComponentName, identity: Identity) => ({
    kubeconfigFile: await identities.kubeconfigFor(identity),
    flags: flagsOf(name),
  });

  await components.start('etcd', commands.etcd(etcd, flagsOf('etcd')));
  const apiServer = { auditLog, serviceAccounts: controllerManager, flags: flagsOf('kube-apiserver') };
  await components.start('kube-apiserver', commands.apiServer(apiServer));
  await grantKubelets(api);

  const starts: Promise<void>[] = [];
  if (controllerManager) {
    const options = await client('kube-controller-manager', { user: 'system:kube-controller-manager' });
    const command = commands.controllerManager({ ...options, nodesAreKeptReady: kwok !== false || heartbeats });
    starts.push(components.start('kube-controller-manager', command).then(() => defaultServiceAccount(api)));
  }
  if (scheduler) {
    const options = await client('kube-scheduler', { user: 'system:kube-scheduler' });
    starts.push(components.start('kube-scheduler', commands.scheduler(options)));
  }
  if (kwok !== false) {
    const files = stageFiles(programs.kwokStages, kwok === true ? {} : kwok);
    starts.push(
      components.start('kwok', commands.kwok({ ...(await client('kwok', KWOK_IDENTITY)), stageFiles: files })),
    );
  }
  // All of them, so that nothing is still on its way up when the caller ends what has been started.
  for (const result of await Promise.allSettled(starts)) if (result.status === 'rejected') throw result.reason;
}

/** Pods of the default namespace are refused before it is there. */
async function defaultServiceAccount(api: KubernetesApi): Promise<void> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'default' };
  await until('the default service account', () => api.find(account));
}
