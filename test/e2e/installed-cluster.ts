import assert from 'node:assert/strict';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { type DeployedGuard, publish, startDeployedGuard } from './deployed-guard.ts';
import { kubectl } from './installation.ts';
import { type Component, overlayIn } from './rendered.ts';
import { deployment, documents, namespace } from './webhook-manifests.ts';

/** A cluster with the kustomization applied, and what the tests type there. */
export interface InstalledCluster {
  readonly cluster: ControlPlane;
  /** As the administrator; it has to succeed. */
  typed(stdin: string, ...args: readonly string[]): Promise<string>;
  /** What the administrator is told when it does not succeed; nothing when it does. */
  refusal(stdin: string, ...args: readonly string[]): Promise<string>;
  /** Puts back what a test has changed. */
  reinstall(): Promise<void>;
  /** Runs the replicas of the Deployment, and waits until the next write reaches them. */
  start(): Promise<DeployedGuard>;
}

/** Installs in the namespace `where`. */
export async function installIn(
  where: string,
  components: readonly Component[],
  namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>,
  options: ControlPlaneOptions = {},
): Promise<InstalledCluster> {
  const cluster = await startControlPlane(options);
  const run = (stdin: string, args: readonly string[]) => cluster.kubectl(cluster.adminKubeconfig, args, { stdin });
  const typed: InstalledCluster['typed'] = async (stdin, ...args) => {
    const { code, stdout, stderr } = await run(stdin, args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const all = Object.entries({ ...namespaces, probe: {} }).map(([name, labels]) => namespace(name, labels));
  await typed(documents(...all), 'apply', '-f', '-');
  const overlay = await overlayIn(cluster.folder, { namespace: where, components });
  const reinstall = () => kubectl(cluster, 'apply', '-k', overlay);
  await reinstall();
  return {
    cluster,
    typed,
    async reinstall() {
      await reinstall();
    },
    async refusal(stdin, ...args) {
      const { code, stderr } = await run(stdin, args);
      return code === 0 ? '' : stderr;
    },
    async start() {
      const guard = await startDeployedGuard(cluster, where);
      await publish(cluster, where, guard.replicas);
      await until('the webhook to be in force', async () => {
        const { stderr } = await run(deployment('probe'), ['create', '--dry-run=server', '-f', '-']);
        return stderr.includes('[claim-unknown]');
      });
      return guard;
    },
  };
}
