import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { V1Deployment } from '@kubernetes/client-node';
import { until } from '../control-plane/until.ts';
import { type HelmVersion, helm } from '../helm/helm.ts';
import type { DeployedGuard } from './deployed-guard.ts';
import { INSTALLED_IN } from './installation.ts';
import { type InstalledCluster, installIn } from './installed-cluster.ts';
import { chartOf } from './ways-to-install.ts';
import { claim, cluster as clusterManifest, deployment, documents, namespace, volume } from './webhook-manifests.ts';

const MUTATED = { mutate: 'recreate' };
const RECREATE = ['type: Recreate'];
const DECLARED = ['type: RollingUpdate', 'rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }'];
const FORBIDDEN =
  /spec\.strategy\.rollingUpdate: Forbidden: may not be specified when strategy `?type`? is '?Recreate'?/;
const MERGE = '{"spec":{"strategy":{"type":"Recreate"}}}';

// Two clusters, side by side.
describe('an installation', { concurrency: true }, () => {
  for (const where of INSTALLED_IN) describe(`in namespace ${where}`, { concurrency: false }, () => installedIn(where));
});

function installedIn(where: string): void {
  let installed: InstalledCluster;
  let guard: DeployedGuard | undefined;

  before(async () => {
    installed = await installIn(where, [], {}, { controllerManager: true, scheduler: true, kwok: true });
    await installed.typed(clusterManifest(), 'apply', '-f', '-');
    guard = await installed.start();
  });

  after(async () => {
    await guard?.stop();
    await installed.cluster.stop();
  });

  describe('Recreate, for a live Deployment with the rollingUpdate that the API server filled in', () => {
    const ways: Readonly<Record<string, (name: string) => Promise<string>>> = {
      'Helm 4': (name) => byHelm('v4', installed, name, RECREATE),
      'server-side apply': (name) => serverSide(installed, deployment(name, { strategy: RECREATE }), 'someone'),
      'a merge patch': (name) =>
        installed.refusal('', '--namespace', name, 'patch', 'deployment', 'web', '--type=merge', '-p', MERGE),
    };
    const given: Readonly<Record<string, (name: string) => Promise<string>>> = {
      'Helm 4': (name) => byHelm('v4', installed, name, []),
      'server-side apply': (name) => serverSide(installed, deployment(name), 'someone'),
      'a merge patch': (name) => installed.refusal(deployment(name), 'apply', '-f', '-'),
    };

    for (const [index, way] of Object.keys(ways).entries()) {
      test(`by ${way} it succeeds where mutation is on`, async () => {
        const name = `healed-${index}`;
        await inhabited(installed, name);
        assert.equal(await given[way]?.(name), '');
        await installed.typed('', 'label', 'namespace', name, 'rwo-guard.dev/mutate=recreate');
        await until('the label counts', async () => (await ways[way]?.(name)) === '');
        assert.deepEqual((await read(installed, name)).spec?.strategy, { type: 'Recreate' });
      });

      test(`by ${way} it is refused where mutation is off, until the command of the rule's page has run`, async () => {
        const name = `refused-${index}`;
        await inhabited(installed, name);
        assert.equal(await given[way]?.(name), '');
        assert.match((await ways[way]?.(name)) ?? '', FORBIDDEN);
        await installed.typed('', '--namespace', name, ...(await commandOfThePage()));
        assert.equal(await ways[way]?.(name), '');
        assert.deepEqual((await read(installed, name)).spec?.strategy, { type: 'Recreate' });
      });
    }

    const plain: Readonly<Record<string, (name: string, strategy: readonly string[]) => Promise<string>>> = {
      'kubectl apply': (name, strategy) => installed.refusal(deployment(name, { strategy }), 'apply', '-f', '-'),
      'Helm 3': (name, strategy) => byHelm('v3', installed, name, strategy),
      'Helm 4, of a release that began with Helm 3': (name, strategy) =>
        byHelm(strategy.length === 0 ? 'v3' : 'v4', installed, name, strategy),
    };
    for (const [index, [way, apply]] of Object.entries(plain).entries()) {
      test(`by ${way} it needs no command first, as the page of the rule has it`, async () => {
        const name = `plain-${index}`;
        await inhabited(installed, name);
        assert.equal(await apply(name, []), '');
        assert.equal(await apply(name, RECREATE), '');
        assert.deepEqual((await read(installed, name)).spec?.strategy, { type: 'Recreate' });
      });
    }
  });

  describe('in a namespace that is mutated', () => {
    for (const [index, strategy] of [[], DECLARED].entries()) {
      const what = index === 0 ? 'silent about the strategy' : 'with a strategy of its own';

      test(`two managers in turn, one with a manifest ${what}, change nothing after the first time`, async () => {
        const name = `two-${index}`;
        await inhabited(installed, name, MUTATED);
        const manifest = deployment(name, { strategy });
        const theirs = deployment(name).replace('  name: web\n', '  name: web\n  labels: { team: platform }\n');
        const round = async () => {
          assert.equal(await serverSide(installed, manifest, 'helm'), '');
          assert.equal(await serverSide(installed, theirs, 'platform'), '');
        };
        await round();
        const first = await settled(installed, name);
        for (let n = 0; n < 5; n++) await round();
        assert.deepEqual(await settled(installed, name), first);
        assert.deepEqual(first.strategy, { type: 'Recreate' });
      });

      test(`kubectl apply of a manifest ${what}, three times, starts nothing anew`, async () => {
        const name = `thrice-${index}`;
        await inhabited(installed, name, MUTATED);
        const manifest = deployment(name, { strategy });
        await installed.typed(manifest, 'apply', '-f', '-');
        const first = await settled(installed, name);
        for (let n = 0; n < 3; n++) await installed.typed(manifest, 'apply', '-f', '-');
        assert.deepEqual(await settled(installed, name), first);
        assert.deepEqual(first.strategy, { type: 'Recreate' });
      });
    }
  });
}

/** A namespace with a claim that binds. */
async function inhabited(
  installed: InstalledCluster,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  await installed.typed(documents(namespace(name, labels), volume(name), claim(name)), 'apply', '-f', '-');
}

function read(installed: InstalledCluster, namespace: string): Promise<V1Deployment> {
  return installed.cluster.api.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' });
}

/** What would differ if something had changed, once its pod is ready. */
async function settled(installed: InstalledCluster, namespace: string) {
  await installed.typed('', '--namespace', namespace, 'rollout', 'status', 'deployment/web', '--timeout=60s');
  const { metadata, spec } = await read(installed, namespace);
  const pods = await installed.typed('', '--namespace', namespace, 'get', 'pods', '-o', 'name');
  return { generation: metadata?.generation, annotations: metadata?.annotations, strategy: spec?.strategy, pods };
}

/** Never forced: another manager's field is a conflict. */
function serverSide(installed: InstalledCluster, manifest: string, manager: string): Promise<string> {
  return installed.refusal(manifest, 'apply', '--server-side', `--field-manager=${manager}`, '-f', '-');
}

async function byHelm(
  version: HelmVersion,
  installed: InstalledCluster,
  name: string,
  strategy: readonly string[],
): Promise<string> {
  const path = await mkdtemp(join(installed.cluster.folder, 'chart-'));
  const chart = await chartOf(path, deployment(name, { strategy }));
  const kubeconfig = installed.cluster.adminKubeconfig;
  const args = ['upgrade', '--install', 'web', chart, '--namespace', name];
  return helm(version, args, { home: path, kubeconfig }).then(
    () => '',
    (error: unknown) => String(error),
  );
}

/** As it stands there, with the name filled in and without the word kubectl. */
async function commandOfThePage(): Promise<readonly string[]> {
  const page = await readFile(join(import.meta.dirname, '../../src/rules/README.md'), 'utf8');
  const [, patch] = /^kubectl patch --type merge -p '([^']+)' deployment\/NAME$/m.exec(page) ?? [];
  assert.ok(patch, 'the page names the command');
  return ['patch', '--type', 'merge', '-p', patch, 'deployment/web'];
}
