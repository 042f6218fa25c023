import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LISTS } from '../../src/objects/kinds.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { postJson } from '../server/https-client.ts';
import { type GuardProcess, launchGuard } from './guard-process.ts';
import { KUSTOMIZATION, kubectl } from './installation.ts';
import { type SilencedProxy, startSilencedProxy } from './silenced-proxy.ts';
import { claim, cluster as clusterManifest, deployment, documents, namespace } from './webhook-manifests.ts';

/** Instead of two minutes, so that nobody waits for them. */
const STALE_AFTER = 'staleAfterSeconds: 10\nshutdownGraceSeconds: 0\n';

/** Reviews whose answers need the watched state, a look-up, and a look-up of what is not there. */
const CLAIMS = ['data', 'other', 'nowhere'];

describe('while the API server cannot be heard', { concurrency: false }, () => {
  let cluster: ControlPlane;
  let proxy: SilencedProxy;
  let guard: GuardProcess;

  before(async () => {
    cluster = await startControlPlane();
    const given = documents(namespace('strict', { mode: 'enforce' }), clusterManifest(), claim('strict'));
    const { code, stderr } = await cluster.kubectl(cluster.adminKubeconfig, ['apply', '-f', '-'], { stdin: given });
    assert.equal(code, 0, stderr);
    await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
    proxy = await startSilencedProxy(cluster.server);
    guard = await start(proxy.url);
    const endpoints = [{ port: guard.port }];
    await cluster.publishWebhookService({ namespace: 'rwo-guard', service: 'rwo-guard', endpoints });
    await until('hazards are denied', async () => (await applied('first')).code !== 0);
  });

  after(async () => {
    await guard.stop();
    proxy.close();
    await cluster.stop();
  });

  test('every review is answered in time, and hazards are denied by what was heard a moment ago', async () => {
    proxy.silence();
    await Promise.all(CLAIMS.map((name) => answered(guard, name)));
    const { code, stderr } = await applied('web');
    assert.equal(code, 1);
    assert.match(stderr, /\[rollout-deadlock\]/);
    assert.equal(await failedOpen(), 0);
  });

  test('after a while findings warn, say how old the state is, and deny nothing', async () => {
    await until('the lists are stale', async () => stale(await guard.metrics()) === LISTS.length, {
      timeoutMs: 60_000,
    });
    const { code, stderr } = await applied('stale');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Warning: Deployment \w+\/stale: .*going by a state \d+ s old.*\[rollout-deadlock\]/);
    assert.match(await guard.readiness(), /\[\+\]cluster-state ok, but stale, .*: nodes \(\d+ s\)/);
    assert.equal(await guard.ready(), true);
    await Promise.all(CLAIMS.map((name) => answered(guard, name)));
    assert.equal(await failedOpen(), 0);
    assert.equal(guard.log().match(/"list":"nodes".*list is stale/g)?.length, 1);
  });

  test('it recovers by itself, and denies again', async () => {
    proxy.speak();
    await until('nothing is stale', async () => stale(await guard.metrics()) === 0, { timeoutMs: 60_000 });
    const { code, stderr } = await applied('again');
    assert.equal(code, 1);
    assert.match(stderr, /\[rollout-deadlock\]/);
    await sameAsAFreshOne();
  });

  test('reviews are answered in time while etcd says nothing, and as by a fresh guard afterwards', async () => {
    cluster.pause('etcd');
    try {
      await Promise.all(CLAIMS.map((name) => answered(guard, name)));
    } finally {
      cluster.resume('etcd');
    }
    await sameAsAFreshOne();
  });

  test('reviews are answered in time while there is no API server, and as by a fresh guard once it is back', async () => {
    await cluster.kill('kube-apiserver');
    await Promise.all(CLAIMS.map((name) => answered(guard, name)));
    await cluster.restart('kube-apiserver');
    await until('the guard watches again', async () => {
      return /rwo_guard_watch_restarts_total\{list="nodes"\} [1-9]/.test(await guard.metrics());
    });
    const hazard = async () => (await applied('back')).code === 1;
    await until('hazards are denied again', hazard, { timeoutMs: 60_000 });
    await sameAsAFreshOne();
  });

  async function start(server: string): Promise<GuardProcess> {
    const folder = await mkdtemp(join(cluster.folder, 'guard-'));
    await writeFile(join(folder, 'config.yaml'), STALE_AFTER);
    const args = ['--config', folder];
    return launchGuard(cluster, { namespace: 'rwo-guard', serviceAccount: 'rwo-guard', args, server });
  }

  function applied(name: string) {
    const manifest = deployment('strict', { name });
    return cluster.kubectl(cluster.adminKubeconfig, ['create', '-f', '-'], { stdin: manifest });
  }

  /** What the API server let through because no answer came in time. */
  async function failedOpen(): Promise<number> {
    const { body } = await cluster.api.request<string>('GET', '/metrics');
    const lines = body.split('\n').filter((line) => line.startsWith('apiserver_admission_webhook_fail_open_count{'));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  async function sameAsAFreshOne(): Promise<void> {
    const fresh = await start(cluster.server);
    try {
      for (const name of CLAIMS) {
        const same = async () => (await answered(guard, name)) === (await answered(fresh, name));
        await until(`both say the same of ${name}`, same, { timeoutMs: 60_000 });
      }
    } finally {
      await fresh.stop();
    }
  }
});

function stale(metrics: string): number {
  return metrics.match(/^rwo_guard_watch_stale\{.*\} 1$/gm)?.length ?? 0;
}

/** Asked as the API server asks, and over before that would give up: its timer began before, and ends the connection. */
async function answered({ port }: GuardProcess, claimName: string): Promise<string> {
  const client = {
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    agent: false,
    signal: AbortSignal.timeout(3_000),
  };
  const { status, body } = await postJson(client, '/validate?timeout=3s', review(claimName));
  assert.equal(status, 200);
  return body;
}

function review(claimName: string): object {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName } }];
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      namespace: 'strict',
      name: 'web',
      operation: 'CREATE',
      userInfo: { username: 'kim', groups: [] },
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'strict' },
        spec: { replicas: 1, selector: {}, template: { metadata: {}, spec: { volumes } } },
      },
    },
  };
}
