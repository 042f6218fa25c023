import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { freePorts } from '../control-plane/network.ts';
import { folderFor, PROGRAM, type Run, start } from '../program.ts';
import { type Answer, postJson } from '../server/https-client.ts';
import { emptyCluster } from './empty-cluster.ts';

const ANY_PORT = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];

test('an address that is taken is a usage error that names the flag', async (t) => {
  const { metrics } = await serving(t);
  const args = ['serve', '--snapshot', await settings(t, ''), '--listen', '127.0.0.1:0', '--metrics-listen', metrics];
  const { code, stderr } = await start(t, args).ended;
  assert.equal(code, 2);
  assert.match(stderr, /choose another address with --metrics-listen/);
});

for (const [name, thrown] of [
  ['an error', "new Error('a\\nbug')"],
  ['anything else', "'a bug'"],
]) {
  test(`a warning of Node and ${name} that nobody catches are told in the log`, async (t) => {
    const script = `setTimeout(() => { process.emitWarning('odd'); setTimeout(() => { throw ${thrown} }, 50) }, 1_000)`;
    const program = ['--import', `data:text/javascript,${encodeURIComponent(script)}`, PROGRAM];
    const args = ['serve', '--snapshot', await settings(t, ''), ...ANY_PORT];
    const { code, stdout, stderr } = await start(t, args, program).ended;
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^\{"level":"warn",.*"msg":"Node warns"\}$/m);
    assert.match(stderr, /^\{"level":"error",.*"msg":"ended by a bug"\}$/m);
    assert.doesNotMatch(stderr, /^\(node:/m);
  });
}

test('all that is wrong with a configuration is told in the log, a line for each', async (t) => {
  const config = await settings(t, 'defaultMode: loud\ndryRun: never\n');
  const { code, stdout, stderr } = await start(t, ['serve', '--config', config]).ended;
  assert.deepEqual([code, stdout], [2, '']);
  const lines = linesOf(stderr).map(({ level, code, problem, msg }) => [
    level,
    code,
    msg,
    String(problem).split(' ')[1],
  ]);
  assert.deepEqual(lines, [
    ['error', 'BAD_CONFIG', 'cannot serve', 'defaultMode'],
    ['error', 'BAD_CONFIG', 'cannot serve', 'dryRun'],
  ]);
});

test('client authorities that are not there are a usage error', async (t) => {
  const config = await settings(t, 'clientAuthentication: { caFile: /nowhere/ca.crt }\n');
  const args = ['serve', '--snapshot', await settings(t, ''), '--config', config, ...ANY_PORT];
  const { code, stderr } = await start(t, args).ended;
  assert.equal(code, 2);
  assert.match(stderr, /clientAuthentication\.caFile \/nowhere\/ca\.crt must hold certificates in PEM/);
});

test('serve --snapshot logs where it answers, and answers whoever trusts the CA it wrote', async (t) => {
  const server = await serving(t);
  const { status, body } = await server.review(deployment());
  assert.equal(status, 200);
  const { response } = JSON.parse(body);
  assert.deepEqual([response.uid, response.allowed], ['u1', true]);
  server.run.child.kill('SIGTERM');
  const { code, stdout, stderr } = await server.run.ended;
  assert.deepEqual([code, stdout], [0, '']);
  const messages = linesOf(stderr).map(({ msg }) => msg);
  assert.deepEqual(messages.slice(-4), ['ready', 'review answered', 'stopping', 'stopped']);
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
    run.child.kill(signal);
    assert.equal((await run.ended).code, 0);
  });
}

test('reviews are answered during the grace, while readiness says that it is over', async (t) => {
  const config = await settings(t, 'shutdownGraceSeconds: 2\n');
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
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds \S+$/m);
  assert.match(text, new RegExp(`^rwo_guard_build_info\\{version="${packageJson.version}"\\} 1$`, 'm'));
});

test('serve watches the cluster of a kubeconfig, and answers once everything is listed', async (t) => {
  const cluster = await emptyCluster(t);
  const args = ['--kubeconfig', cluster.kubeconfig, '--config', await settings(t, 'shutdownGraceSeconds: 0\n')];
  const { run, metrics } = await started(t, args);
  assert.equal((await fetch(`http://${metrics}/readyz`)).status, 200);
  assert.match(await (await fetch(`http://${metrics}/metrics`)).text(), /^rwo_guard_watch_synced\{list="nodes"\} 1$/m);
  assert.ok(cluster.requests.some((request) => request.startsWith('POST /api/v1/namespaces/rwo-guard/secrets')));
  run.child.kill('SIGTERM');
  assert.equal((await run.ended).code, 0);
});

test('serve says which of its ports can be reached on all addresses', async (t) => {
  const { run } = await serving(t, undefined, ['--metrics-listen', '0.0.0.0:0']);
  const { listen, url, metricsListen, metricsUrl } = await run.ready;
  assert.deepEqual([listen, metricsListen], ['127.0.0.1:0', '0.0.0.0:0']);
  assert.match(`${url} ${metricsUrl}`, /^https:\/\/127\.0\.0\.1:\d+ http:\/\/127\.0\.0\.1:\d+$/);
});

test('serve does not answer, and says why it is not ready, while it may not list', async (t) => {
  const cluster = await emptyCluster(t);
  cluster.refuseLists(403);
  const metricsListen = `127.0.0.1:${(await freePorts(1))[0]}`;
  const run = start(t, ['serve', '--kubeconfig', cluster.kubeconfig, ...ANY_PORT, '--metrics-listen', metricsListen]);
  const readyz = await readyzOf(metricsListen);
  assert.equal(readyz.status, 503);
  const reasons = await readyz.text();
  assert.match(reasons, /\[-\]cluster-state not ready: not listed yet: nodes/);
  assert.match(reasons, /\[-\]serving not ready: starting/);
  run.child.kill('SIGTERM');
  assert.deepEqual([(await run.ended).code, (await run.ended).stdout], [0, '']);
});

interface Serving {
  readonly run: Run;
  /** `HOST:PORT` of the plain port. */
  readonly metrics: string;
  readonly review: (body: unknown) => Promise<Answer>;
}

/** By files: a cluster with nothing in it unless another one is named. */
async function serving(t: TestContext, snapshot?: string, args: readonly string[] = []): Promise<Serving> {
  return started(t, ['--snapshot', snapshot ?? (await settings(t, '')), ...args]);
}

async function started(t: TestContext, args: readonly string[]): Promise<Serving> {
  const caFile = join(await folderFor(t), 'ca.crt');
  const run = start(t, ['serve', ...ANY_PORT, '--ca-out', caFile, ...args]);
  const { url, metricsUrl } = await run.ready;
  const [{ hostname: host, port }, { host: metrics }] = [new URL(url), new URL(metricsUrl)];
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const client = { host, port, agent, ca: await readFile(caFile, 'utf8') };
  return { run, metrics, review: (body) => postJson(client, '/validate?timeout=3s', body) };
}

/** Every line must be one of the log. */
function linesOf(stderr: string): readonly Record<string, unknown>[] {
  return stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function settings(t: TestContext, text: string): Promise<string> {
  const file = join(await folderFor(t), 'file.yaml');
  await writeFile(file, text);
  return file;
}

/** Asks until somebody listens there, and once more, so that the first lists have been refused. */
async function readyzOf(address: string): Promise<Response> {
  for (;;) {
    const answer = await fetch(`http://${address}/readyz`).catch(() => undefined);
    await sleep(200);
    if (answer !== undefined) return fetch(`http://${address}/readyz`);
  }
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
