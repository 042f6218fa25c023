import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { folderFor, type Run, start } from '../program.ts';
import { type Answer, postJson } from '../server/https-client.ts';

const ANY_PORT = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];

test('an address that is taken is a usage error that names the flag', async (t) => {
  const { metrics } = await serving(t);
  const args = ['serve', '--snapshot', await emptyCluster(t), '--listen', '127.0.0.1:0', '--metrics-listen', metrics];
  const { code, stderr } = await start(t, args).ended;
  assert.equal(code, 2);
  assert.match(stderr, /choose another address with --metrics-listen/);
});

test('serve --snapshot prints one line with its address, and answers whoever trusts the CA it wrote', async (t) => {
  const server = await serving(t);
  const { status, body } = await server.review(deployment());
  assert.equal(status, 200);
  const { response } = JSON.parse(body);
  assert.deepEqual([response.uid, response.allowed], ['u1', true]);
  server.run.child.kill('SIGTERM');
  const { code, stdout } = await server.run.ended;
  assert.equal(code, 0);
  assert.equal(stdout.split('\n').length, 2);
});

test('a snapshot decides what is answered', async (t) => {
  const { review } = await serving(t, join(import.meta.dirname, '../demo/cluster'));
  const { response } = JSON.parse((await review(deployment('shop', 'data'))).body);
  assert.ok(response.warnings?.length > 0 || response.allowed === false, JSON.stringify(response));
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends it with 0, an idle connection and all`, async (t) => {
    const { run, review } = await serving(t);
    await review(deployment());
    const began = performance.now();
    run.child.kill(signal);
    assert.equal((await run.ended).code, 0);
    assert.ok(performance.now() - began < 5000);
  });
}

test('reviews are answered during the grace, while readiness says that it is over', async (t) => {
  const config = join(await folderFor(t), 'config.yaml');
  await writeFile(config, 'shutdownGraceSeconds: 2\n');
  const { run, review, metrics } = await serving(t, undefined, ['--config', config]);
  assert.equal((await fetch(`http://${metrics}/readyz`)).status, 200);
  run.child.kill('SIGTERM');
  await sleep(200);
  const ready = await fetch(`http://${metrics}/readyz`);
  assert.equal(ready.status, 503);
  assert.match(await ready.text(), /\[-\]serving not ready: stopping/);
  const { status, connection } = await review(deployment());
  assert.deepEqual([status, connection], [200, 'close']);
  assert.equal((await run.ended).code, 0);
});

test('what is served shows in the metrics', async (t) => {
  const { review, metrics } = await serving(t);
  await review(deployment());
  const text = await (await fetch(`http://${metrics}/metrics`)).text();
  assert.match(text, /^rwo_guard_admission_requests_total\{webhook="validate",kind="Deployment",.*\} 1$/m);
  assert.match(text, /^rwo_guard_certificate_expiry_timestamp_seconds \d+$/m);
  assert.match(text, new RegExp(`^rwo_guard_build_info\\{version="${packageJson.version}"\\} 1$`, 'm'));
});

interface Serving {
  readonly run: Run;
  /** `HOST:PORT` of either port. */
  readonly address: string;
  readonly metrics: string;
  readonly review: (body: unknown) => Promise<Answer>;
}

async function serving(t: TestContext, cluster?: string, args: readonly string[] = []): Promise<Serving> {
  const caFile = join(await folderFor(t), 'ca.crt');
  const snapshot = ['--snapshot', cluster ?? (await emptyCluster(t))];
  const run = start(t, ['serve', ...snapshot, ...ANY_PORT, '--ca-out', caFile, ...args]);
  const line = await run.firstLine;
  const [, address = '', metrics = ''] = /https:\/\/(\S+:\d+).*http:\/\/(\S+:\d+)/.exec(line) ?? [];
  const [host, port] = address.split(':');
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const client = { host, port, agent, ca: await readFile(caFile, 'utf8') };
  return { run, address, metrics, review: (body) => postJson(client, '/validate?timeout=3s', body) };
}

async function emptyCluster(t: TestContext): Promise<string> {
  const file = join(await folderFor(t), 'cluster.yaml');
  await writeFile(file, '');
  return file;
}

/** The review of a new Deployment, with one claim if any. */
function deployment(namespace = 'shop', claimName?: string): object {
  const volumes = claimName === undefined ? [] : [{ name: 'data', persistentVolumeClaim: { claimName } }];
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      namespace,
      name: 'web',
      operation: 'CREATE',
      userInfo: { username: 'kim', groups: [] },
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace },
        spec: { selector: {}, template: { spec: { volumes } } },
      },
    },
  };
}
