import assert from 'node:assert/strict';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1ConfigMap, V1Deployment, V1Secret, V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesApi } from '../control-plane/kubernetes-api.ts';
import { type GuardProcess, launchGuard } from './guard-process.ts';
import { type Release, THIS_RELEASE } from './release.ts';

/** The pods of the installed Deployment, as processes of this machine: its image, arguments, account, settings and mounts. */
export interface DeployedGuard {
  readonly replicas: readonly GuardProcess[];
  stop(): Promise<void>;
}

export interface DeployedGuardOptions {
  /** Its image is what the Deployment has to name. That of this checkout when not given. */
  readonly release?: Release;
  /** A second when not given: `publish` is heard of at once, and idle connections are few. */
  readonly shutdownGraceSeconds?: number;
}

/** Starts as many replicas as the Deployment says, and waits until all are ready. */
export async function startDeployedGuard(
  cluster: ControlPlane,
  namespace: string,
  options: DeployedGuardOptions = {},
): Promise<DeployedGuard> {
  const deployment = await cluster.api.get<V1Deployment>({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace,
    name: 'rwo-guard',
  });
  const count = deployment.spec?.replicas ?? 1;
  const replicas = await Promise.all(Array.from({ length: count }, () => startReplica(cluster, deployment, options)));
  return {
    replicas,
    async stop() {
      await Promise.all(replicas.map((replica) => replica.stop()));
    },
  };
}

async function startReplica(
  cluster: ControlPlane,
  { metadata, spec }: V1Deployment,
  { release = THIS_RELEASE, shutdownGraceSeconds = 1 }: DeployedGuardOptions,
): Promise<GuardProcess> {
  const { containers, volumes = [], serviceAccountName = '' } = spec?.template.spec ?? { containers: [] };
  const { image, args = [], env = [], volumeMounts = [] } = containers[0] ?? { name: '' };
  assert.equal(image, `rwo-guard:${release.version}`);
  const namespace = metadata?.namespace ?? '';
  const root = await mkdtemp(join(cluster.folder, 'pod-'));
  for (const { name, mountPath } of volumeMounts) {
    const folder = join(root, mountPath);
    await mkdir(folder, { recursive: true });
    await mount(
      cluster.api,
      namespace,
      folder,
      volumes.find((volume) => volume.name === name),
    );
  }
  // What a process of this machine has to be told beside: where its mounts are, and how long it may take to leave.
  const here = `shutdownGraceSeconds: ${shutdownGraceSeconds}\n${mountedCertificates(root, volumeMounts)}`;
  await writeFile(join(root, '/etc/rwo-guard/config', 'this-machine.yaml'), here);
  const [, ...flags] = args;
  return launchGuard(cluster, {
    namespace,
    serviceAccount: serviceAccountName,
    program: release.program,
    args: flags.filter((flag) => !/^--(metrics-)?listen=/.test(flag)).map((flag) => flag.replace('=/', `=${root}/`)),
    env: Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
  });
}

function mountedCertificates(root: string, mounts: readonly V1VolumeMount[]): string {
  const tls = mounts.find(({ name }) => name === 'tls');
  return tls === undefined ? '' : `certificates: { source: files, directory: ${join(root, tls.mountPath)} }\n`;
}

async function mount(api: KubernetesApi, namespace: string, folder: string, volume: V1Volume | undefined) {
  for (const [file, content] of Object.entries(await filesOf(api, namespace, volume))) {
    await writeFile(join(folder, file), content);
  }
}

async function filesOf(
  api: KubernetesApi,
  namespace: string,
  { configMap, secret }: V1Volume = { name: '' },
): Promise<Readonly<Record<string, string | Buffer>>> {
  const of = (kind: string, name = '') => ({ apiVersion: 'v1', kind, namespace, name });
  if (configMap !== undefined) return (await api.get<V1ConfigMap>(of('ConfigMap', configMap.name))).data ?? {};
  const { data = {} } = await api.get<V1Secret>(of('Secret', secret?.secretName));
  return Object.fromEntries(Object.entries(data).map(([file, text]) => [file, Buffer.from(text, 'base64')]));
}

/** Sends the API server to these replicas, and to no others. */
export async function publish(
  cluster: ControlPlane,
  namespace: string,
  replicas: readonly GuardProcess[],
): Promise<void> {
  const endpoints = await Promise.all(replicas.map(async ({ port, ready }) => ({ port, ready: await ready() })));
  await cluster.publishWebhookService({ namespace, service: 'rwo-guard', endpoints });
}
