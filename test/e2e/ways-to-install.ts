import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { type HelmVersion, helm } from '../helm/helm.ts';
import { kubectl } from './installation.ts';
import { THIS_RELEASE } from './release.ts';
import { type Installation, overlayIn, valuesIn } from './rendered.ts';

/** One of the tools that people install with. What was installed before is upgraded. */
export interface WayToInstall {
  install(installation: Installation): Promise<string>;
  /** What installing again would change, where the tool can tell. */
  diff?(installation: Installation): Promise<string>;
  /** The objects that it would change by what a server-side dry run answers, where the tool can show that. */
  changedInDryRun?(installation: Installation): Promise<readonly string[]>;
  /** Back to what was installed before, which is named: only Helm remembers it. */
  rollBack(before: Installation): Promise<void>;
  uninstall(installation: Installation): Promise<void>;
  /** Helm leaves the namespace to the person; kubectl removes it, but of an upgrade nothing that is no longer there. */
  readonly program: 'kubectl' | 'helm';
}

export const WAYS = ['kubectl apply', 'kubectl apply --server-side', 'Helm 3', 'Helm 4'] as const;

export async function wayToInstall(name: (typeof WAYS)[number], cluster: ControlPlane): Promise<WayToInstall> {
  const path = await mkdtemp(join(cluster.folder, 'install-'));
  switch (name) {
    case 'kubectl apply':
      return byKubectl(cluster, path, []);
    case 'kubectl apply --server-side':
      return byKubectl(cluster, path, ['--server-side']);
    case 'Helm 3':
      return byHelm(cluster, path, 'v3');
    case 'Helm 4':
      return byHelm(cluster, path, 'v4');
    default:
      return name satisfies never;
  }
}

function byKubectl(cluster: ControlPlane, folder: string, flags: readonly string[]): WayToInstall {
  const apply = async (installation: Installation, ...more: readonly string[]) =>
    kubectl(cluster, 'apply', ...flags, ...more, '-k', await overlayIn(folder, installation));
  return {
    install: apply,
    async diff(installation) {
      return kubectl(cluster, 'diff', ...flags, '-k', await overlayIn(folder, installation));
    },
    async changedInDryRun(installation) {
      const overlay = await overlayIn(folder, installation);
      const read = async () => itemsIn(await kubectl(cluster, 'get', '-o', 'json', '-k', overlay));
      return until('a moment in which no controller writes a status', async () => {
        const before = await read();
        const then = itemsIn(await apply(installation, '--dry-run=server', '-o', 'json'));
        return changed(before, await read()).length === 0 && changed(before, then);
      });
    },
    async rollBack(before) {
      await apply(before);
    },
    async uninstall(installation) {
      await kubectl(cluster, 'delete', '--ignore-not-found', '-k', await overlayIn(folder, installation));
    },
    program: 'kubectl',
  };
}

function itemsIn(list: string): ReadonlyMap<string, KubernetesObject> {
  const { items }: { readonly items: readonly KubernetesObject[] } = JSON.parse(list);
  return new Map(items.map((item) => [`${item.kind}/${item.metadata?.name}`, item]));
}

function changed(
  now: ReadonlyMap<string, KubernetesObject>,
  then: ReadonlyMap<string, KubernetesObject>,
): readonly string[] {
  const names = [...new Set([...now.keys(), ...then.keys()])];
  return names.filter((name) => !isDeepStrictEqual(now.get(name), then.get(name)));
}

function byHelm(cluster: ControlPlane, folder: string, version: HelmVersion): WayToInstall {
  const run = (...args: readonly string[]) =>
    helm(version, args, { home: folder, kubeconfig: cluster.adminKubeconfig });
  return {
    async install(installation) {
      const { namespace, release: { chart } = THIS_RELEASE } = installation;
      const values = await valuesIn(folder, installation);
      const where = ['--namespace', namespace, '--create-namespace'];
      // Without a value Helm takes those of the release before.
      const what = ['--values', values, '--reset-values'];
      return run('upgrade', '--install', 'guard', chart, ...where, ...what);
    },
    async rollBack({ namespace }) {
      await run('rollback', 'guard', '--namespace', namespace);
    },
    async uninstall({ namespace }) {
      await run('uninstall', 'guard', '--namespace', namespace, '--wait', '--timeout', '60s');
    },
    program: 'helm',
  };
}

/** A chart of one manifest, such as people write for their own workloads; gives its folder. */
export async function chartOf(folder: string, template: string): Promise<string> {
  await mkdir(join(folder, 'templates'), { recursive: true });
  await writeFile(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  await writeFile(join(folder, 'templates', 'web.yaml'), template);
  return folder;
}
