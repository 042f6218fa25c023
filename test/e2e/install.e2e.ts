import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { type DeployedGuard, publish, startDeployedGuard } from './deployed-guard.ts';
import { INSTALLED_IN, kubectl, webhookConfigurations } from './installation.ts';
import { WAYS, type WayToInstall, wayToInstall } from './ways-to-install.ts';
import { claim, cluster as clusterManifest, deployment, documents, namespace, volume } from './webhook-manifests.ts';

const GIVEN = documents(
  clusterManifest(),
  namespace('strict', { mode: 'enforce' }),
  namespace('plain'),
  volume('strict'),
);
const CONFIGURED_FOR_EVER = /^poddisruptionbudget.* configured$/; // see manifests.e2e.ts

/** A namespace, and what Kubernetes itself puts into each. */
const NAMESPACE_OF_ITS_OWN = [
  'ConfigMap/kube-root-ca.crt in NAME',
  'Namespace/NAME in <no value>',
  'ServiceAccount/default in NAME',
];

// Most of it is waiting: for what comes every ten seconds, and for namespaces to go.
describe('an installation', { concurrency: true }, () => {
  for (const where of INSTALLED_IN) describe(`in namespace ${where}`, { concurrency: false }, () => installedIn(where));
});

function installedIn(where: string): void {
  let cluster: ControlPlane;

  before(async () => {
    cluster = await startControlPlane({ controllerManager: true, scheduler: true, kwok: true });
    await typed(cluster, GIVEN, 'apply', '-f', '-');
    await typed(cluster, claim('strict'), 'apply', '-f', '-');
    await until('the defaults of every namespace', async () =>
      (await everything(cluster)).has('ServiceAccount/default in plain'),
    );
  });

  after(() => cluster.stop());

  for (const way of WAYS) {
    describe(`by ${way}`, () => {
      const installation = { namespace: where, components: [] };
      let tool: WayToInstall;
      let guard: DeployedGuard;
      let newer: DeployedGuard | undefined;
      let untouched: ReadonlySet<string>;

      before(async () => {
        tool = await wayToInstall(way, cluster);
        untouched = await everything(cluster);
        await tool.install(installation);
        await kubectl(cluster, '--namespace', where, 'rollout', 'status', 'deployment/rwo-guard', '--timeout=60s');
        guard = await startDeployedGuard(cluster, where);
      });

      after(async () => {
        await Promise.all([guard?.stop(), newer?.stop()]);
        await kubectl(cluster, 'delete', 'namespace', where, '--ignore-not-found');
      });

      test('two replicas become ready, and the next apply is judged', async () => {
        assert.equal(guard.replicas.length, 2);
        await publish(cluster, where, guard.replicas);
        await until('a denial', async () => (await refusal(cluster)).includes('[rollout-deadlock]'));
      });

      test('installed again, nothing changes, and caBundle stays', async () => {
        const caBundles = await injected(cluster);
        const output = await tool.install(installation);
        if (way === 'kubectl apply') assert.deepEqual(output.trimEnd().split('\n').filter(isChange), []);
        assert.deepEqual(await injected(cluster), caBundles);
        if (tool.diff !== undefined) assert.equal(await tool.diff(installation), '');
        if (tool.changedInDryRun !== undefined) assert.deepEqual(await tool.changedInDryRun(installation), []);
      });

      test('taken out of the way by the one command, it is back with the next install', async () => {
        await kubectl(cluster, 'delete', 'validatingwebhookconfiguration,mutatingwebhookconfiguration', 'rwo-guard');
        await until('nobody is asked', async () => (await refusal(cluster)) === '');
        await tool.install(installation);
        await until('a denial', async () => (await refusal(cluster)).includes('[rollout-deadlock]'));
      });

      test('every request is judged while new settings are rolled out, by old and new replicas side by side', async () => {
        const stricter = { ...installation, components: ['enforce'] as const };
        await tool.install(stricter);
        newer = await startDeployedGuard(cluster, where);
        await publish(cluster, where, [...guard.replicas, ...newer.replicas]);
        assert.match(await refusal(cluster), /\[rollout-deadlock\]/);
        await publish(cluster, where, newer.replicas);
        const leaving = guard.stop();
        do assert.match(await refusal(cluster), /\[rollout-deadlock\]/);
        while (await isPending(leaving));
        assert.match(await refusal(cluster), /\[rollout-deadlock\]/);
      });

      test('removed while it serves, it leaves nothing behind, and nobody waits for it', async () => {
        await tool.uninstall(installation);
        const left =
          tool.program === 'kubectl' ? [] : NAMESPACE_OF_ITS_OWN.map((object) => object.replaceAll('NAME', where));
        await until('everything else is gone', async () => {
          const found = [...(await everything(cluster))].filter((object) => !untouched.has(object));
          assert.deepEqual(found.sort(), left);
          return true;
        });
        assert.equal(await refusal(cluster), '');
      });
    });
  }
}

/** What jane is told when she tries a Deployment that can deadlock, in a namespace that enforces; nothing where she may. */
async function refusal(cluster: ControlPlane): Promise<string> {
  const { code, stderr } = await cluster.kubectl(cluster.adminKubeconfig, ['create', '-f', '-'], {
    stdin: deployment('strict', { generateName: true }),
  });
  if (code !== 0) return stderr;
  await kubectl(cluster, '--namespace', 'strict', 'delete', 'deployments', '--all', '--cascade=foreground');
  return '';
}

function isPending(work: Promise<void>): Promise<boolean> {
  return Promise.race([work.then(() => false), setImmediate(true)]);
}

async function injected(cluster: ControlPlane): Promise<readonly string[]> {
  const configurations = await webhookConfigurations(cluster.api);
  const found = configurations.flatMap(({ webhooks }) =>
    webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? ''),
  );
  assert.ok(found.every(Boolean));
  return found;
}

/** All objects there are, but for what comes and goes by itself, and the slices that stand for the endpoint controllers. */
async function everything(cluster: ControlPlane): Promise<ReadonlySet<string>> {
  const kinds = (await kubectl(cluster, 'api-resources', '--verbs=list', '-o', 'name')).trimEnd().split('\n');
  const lasting = kinds.filter((kind) => !/^(events|leases|endpoint|pods\.metrics|componentstatuses)/.test(kind));
  const template = '{{range .items}}{{.kind}}/{{.metadata.name}} in {{.metadata.namespace}}{{"\\n"}}{{end}}';
  const found = await kubectl(cluster, 'get', lasting.join(','), '--all-namespaces', '-o', `go-template=${template}`);
  return new Set(found.trimEnd().split('\n'));
}

function isChange(line: string): boolean {
  return !line.endsWith(' unchanged') && !CONFIGURED_FOR_EVER.test(line);
}

async function typed(cluster: ControlPlane, stdin: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await cluster.kubectl(cluster.adminKubeconfig, args, { stdin });
  assert.equal(code, 0, stderr);
}
