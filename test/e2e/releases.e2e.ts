import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { V1Secret } from '@kubernetes/client-node';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { type DeployedGuard, publish, startDeployedGuard } from './deployed-guard.ts';
import type { GuardProcess } from './guard-process.ts';
import { INSTALLED_IN, webhookConfigurations } from './installation.ts';
import { nextRelease, type Release, THIS_RELEASE } from './release.ts';
import { scratchFolder } from './rendered.ts';
import { type SteadyLoad, startSteadyLoad, untilCallsSucceed } from './steady-load.ts';
import { WAYS, type WayToInstall, wayToInstall } from './ways-to-install.ts';

const CREDENTIAL = 'authentication.kubernetes.io/credential-id';
/** In seconds. Those that all four keep busy leave the API server many connections to give up, one with each answer. */
const AS_SHIPPED = 10;
/** One where a failed call is refused, and one where it is let through. */
const LOADED = { fail: { 'rwo-guard.dev/mode': 'enforce' }, ignore: {} };

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let next: Release;

before(async () => {
  folder = await scratchFolder();
  next = await nextRelease(folder.path);
});

after(() => folder.remove());

// They wait most of the time: replicas look at their certificates every ten seconds, and take ten to leave.
describe('under steady load every request is judged, by this release and the next one side by side', {
  concurrency: 4,
}, () => {
  for (const way of WAYS) {
    for (const where of INSTALLED_IN) {
      test(`while ${way} upgrades namespace ${where} and goes back, and caBundle and Secret stay`, async (t) => {
        const installed = await install(t, way, where);
        const { cluster, tool } = installed;
        const load = await startSteadyLoad(t, cluster, Object.keys(LOADED));
        const kept = await certificatesIn(installed);

        await tool.install({ ...installed.installation, release: next });
        const newer = await replacedUnder(load, installed, { from: installed.guard, by: next });
        await tool.rollBack(installed.installation);
        const older = await replacedUnder(load, installed, { from: newer, by: THIS_RELEASE });

        const { requests, calls, ...failed } = await load.stop();
        assert.deepEqual(failed, { refused: [], failedOpen: 0, rejectedByError: 0 });
        const replicas = [installed.guard, newer, older].flatMap((guard) => guard.replicas);
        const answered = () =>
          new Set(replicas.flatMap(reviewsOf).filter((uid) => !installed.reviewedBefore.has(uid))).size;
        await until('the last answer is in a log', async () => answered() >= requests);
        assert.deepEqual([calls, answered()], [requests, requests]);
        assert.deepEqual(await certificatesIn(installed), kept);
      });
    }
  }
});

interface Installed {
  readonly cluster: ControlPlane;
  readonly tool: WayToInstall;
  readonly where: string;
  readonly installation: Parameters<WayToInstall['install']>[0];
  /** The replicas that were installed. */
  readonly guard: DeployedGuard;
  readonly reviewedBefore: ReadonlySet<string>;
  /** Replicas of this release, which is the one that the Deployment names by now. */
  start(release: Release): Promise<DeployedGuard>;
}

/** This release, with two replicas that serve. */
async function install(t: TestContext, way: (typeof WAYS)[number], where: string): Promise<Installed> {
  const policy = join(import.meta.dirname, 'service-account-audit.yaml');
  const flags = { 'kube-apiserver': [`--audit-policy-file=${policy}`] };
  const cluster = await startControlPlane({ auditLog: true, flags });
  t.after(() => cluster.stop());
  for (const [name, labels] of Object.entries(LOADED)) {
    await cluster.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  }
  const tool = await wayToInstall(way, cluster);
  const installation = { namespace: where, components: ['fail-closed'] as const };
  await tool.install(installation);
  const start = async (release: Release) => {
    const guard = await startDeployedGuard(cluster, where, { release, shutdownGraceSeconds: AS_SHIPPED });
    t.after(() => guard.stop());
    return guard;
  };
  const guard = await start(THIS_RELEASE);
  await publish(cluster, where, guard.replicas);
  await untilCallsSucceed(t, cluster, Object.keys(LOADED));
  const reviewedBefore = new Set(guard.replicas.flatMap(reviewsOf));
  return { cluster, tool, where, installation, guard, reviewedBefore, start };
}

/** What the Deployment names by now starts, all replicas serve and agree, and then the older ones leave. */
async function replacedUnder(
  load: SteadyLoad,
  { cluster, where, tool, start }: Installed,
  { from, by }: { readonly from: DeployedGuard; readonly by: Release },
): Promise<DeployedGuard> {
  if (tool.program === 'helm') assert.equal(await versionLabel(cluster, where), by.version);
  const newer = await start(by);
  const both = [...from.replicas, ...newer.replicas];
  await publish(cluster, where, both);
  const [answered, looked, objects] = [both.map(reviewCount), await looks(cluster), await versions(cluster, where)];
  let atOnce = 0;
  await until('each of them has answered', async () => {
    atOnce += 4;
    await load.atOnce(atOnce);
    return both.every((replica, index) => reviewCount(replica) > (answered[index] ?? 0));
  });
  for (const replica of newer.replicas) {
    assert.match(await replica.metrics(), new RegExp(`^rwo_guard_build_info\\{version="${by.version}"\\} 1$`, 'm'));
  }
  await until('each of them has looked at the Secret', async () => {
    const since = (await looks(cluster)).slice(looked.length);
    return new Set(since).size === both.length;
  });
  assert.deepEqual(await versions(cluster, where), objects, 'none of them has anything to put right');

  // At the same moment, as in a cluster: a pod that goes is told to, and taken out of its Service.
  await Promise.all([from.stop(), publish(cluster, where, newer.replicas)]);
  for (const replica of from.replicas) assert.match(replica.log(), /"msg":"stopped"/);
  return newer;
}

/** What Helm's labels say is installed; kubectl's tell no version. */
async function versionLabel(cluster: ControlPlane, namespace: string): Promise<string | undefined> {
  const deployment = await cluster.api.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'rwo-guard' });
  return deployment.metadata?.labels?.['app.kubernetes.io/version'];
}

/** The uids of what a replica has judged; its log stays when it is gone. */
function reviewsOf(replica: GuardProcess): readonly string[] {
  return [...replica.log().matchAll(/"uid":"([^"]+)".*"msg":"review answered"/g)].map(([, uid = '']) => uid);
}

function reviewCount(replica: GuardProcess): number {
  return reviewsOf(replica).length;
}

/** Who has read the Secret so far, by their tokens, of which each replica has one. */
async function looks(cluster: ControlPlane): Promise<readonly string[]> {
  const events = await cluster.auditEvents();
  return events
    .filter(({ verb, objectRef }) => verb === 'get' && objectRef?.resource === 'secrets')
    .map(({ user }) => user.extra?.[CREDENTIAL]?.[0] ?? '');
}

function secretIn(cluster: ControlPlane, namespace: string): Promise<V1Secret> {
  return cluster.api.get<V1Secret>({ apiVersion: 'v1', kind: 'Secret', namespace, name: 'rwo-guard-tls' });
}

/** Of everything that the replicas write. */
async function versions(cluster: ControlPlane, where: string): Promise<readonly (string | undefined)[]> {
  const objects = [await secretIn(cluster, where), ...(await webhookConfigurations(cluster.api))];
  return objects.map(({ metadata }) => metadata?.resourceVersion);
}

/** The generation changes with every caBundle, if only for a moment. */
async function certificatesIn({ cluster, where }: Installed): Promise<object> {
  const { data } = await secretIn(cluster, where);
  const configurations = await webhookConfigurations(cluster.api);
  const bundles = configurations.flatMap(({ webhooks }) => webhooks.map(({ clientConfig }) => clientConfig.caBundle));
  return { data, bundles, generations: configurations.map(({ metadata }) => metadata?.generation) };
}
