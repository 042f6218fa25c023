import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Ended, start } from '../program.ts';
import {
  DEPLOYMENT_PATH,
  type InstalledApi,
  installedApi,
  NAMESPACES_PATH,
  namespaces,
  SETTINGS_PATH,
} from './installed-api.ts';

function doctor(t: TestContext, { kubeconfig }: InstalledApi, ...args: readonly string[]): Promise<Ended> {
  return start(t, ['doctor', '--kubeconfig', kubeconfig, ...args]).ended;
}

test('an installation in order has a line for each check, and exit code 0', async (t) => {
  const { code, stdout, stderr } = await doctor(t, await installedApi(t));
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^server\n {2}ok {8}Kubernetes v1\.36\.3, looked at by rwo-guard \S+\n/);
  assert.match(stdout, /\n {2}ok {8}2 of 2 replicas are ready\n/);
  assert.match(stdout, /\ncalls\n {2}ok {8}enforce\.rwo-guard\.dev answered a dry run in shop within \d+ ms of 3 s\n/);
  assert.match(stdout, /\n {2}ok {8}the caBundle of mutate\.rwo-guard\.dev verifies it\n/);
  assert.match(stdout, /\n0 problems, 0 warnings, \d not seen\n$/);
});

test('nothing is written: what is sent are reviews and dry runs', async (t) => {
  const api = await installedApi(t);
  await doctor(t, api);
  const sent = api.requests.filter((request) => !request.startsWith('GET '));
  assert.ok(sent.length > 40);
  assert.deepEqual(
    sent.filter((request) => !/reviews$|\/deployments\?dryRun=All&/.test(request)),
    [],
  );
});

test('a problem comes with its remedy on a line of its own, and exit code 1', async (t) => {
  const api = await installedApi(t);
  api.set(NAMESPACES_PATH, namespaces({ shop: { 'rwo-guard.dev/mode': 'of' } }));
  const { code, stdout } = await doctor(t, api);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /\n {2}problem {3}namespace shop has label .*\n {12}fix: kubectl label namespace shop --overwrite rwo-guard\.dev\/mode=off\n/,
  );
  const shown = readFileSync(join(import.meta.dirname, '../../manifests/README.md'), 'utf8');
  assert.ok(shown.includes(/\n {2}problem.*\n.*\n/.exec(stdout)?.[0] ?? 'nothing'), stdout);
  assert.match(stdout, /\n1 problem, /);
});

test('webhooks that nobody calls are found out', async (t) => {
  const api = await installedApi(t);
  api.stopCalling();
  const { code, stdout } = await doctor(t, api);
  assert.equal(code, 1);
  assert.match(stdout, /problem {3}enforce\.rwo-guard\.dev did not answer a dry run.*: the call was refused\n/);
});

test('as JSON the same can be read by a program', async (t) => {
  const api = await installedApi(t);
  api.set(DEPLOYMENT_PATH, undefined);
  const { code, stdout } = await doctor(t, api, '--format', 'json');
  const { good, counts, groups } = JSON.parse(stdout);
  assert.deepEqual([code, good, counts.problem], [1, false, 1]);
  const [server] = groups;
  assert.deepEqual(server.checks.at(-1).status, 'ok');
  assert.ok(server.checks.some((check: { fix?: string }) => check.fix?.startsWith('kubectl delete')));
});

test('who may read nothing sees nothing, which is no problem', async (t) => {
  const api = await installedApi(t);
  api.refuse(403);
  const { code, stdout } = await doctor(t, api);
  assert.equal(code, 0);
  assert.match(stdout, /\n {2}not seen {2}Deployment rwo-guard\/rwo-guard may not be read: permission missing\n/);
  assert.doesNotMatch(stdout, /UNEXPECTED|problem {2}/);
});

test('the settings are those of the ConfigMap, or those that are given', async (t) => {
  const api = await installedApi(t);
  api.set(SETTINGS_PATH, { data: { 'config.yaml': 'defaultMode: enforce\n' } });
  assert.match((await doctor(t, api)).stdout, /1 without the label: enforce\n/);
  api.set(SETTINGS_PATH, { data: { 'config.yaml': 'defaultMod: enforce\n' } });
  const { stdout } = await doctor(t, api);
  assert.match(
    stdout,
    /not seen {2}settings of the server, defaults are assumed: ConfigMap .* did you mean defaultMode/,
  );
});

test('in another namespace it is told where to look', async (t) => {
  const { code, stdout } = await doctor(t, await installedApi(t), '--namespace', 'guards');
  assert.equal(code, 1);
  assert.match(stdout, /webhooks call namespace rwo-guard\n.*fix: rwo-guard doctor -n rwo-guard\n/);
});

test('what cannot be asked for, and a cluster that cannot be reached, give exit code 2', async (t) => {
  const api = await installedApi(t);
  const wrong = await doctor(t, api, '--format', 'yaml');
  assert.deepEqual([wrong.code, wrong.stderr], [2, 'rwo-guard: --format must be text or json, not yaml\n']);
  const elsewhere = await doctor(t, api, '--namespace', '../x');
  assert.deepEqual(
    [elsewhere.code, elsewhere.stderr],
    [2, 'rwo-guard: --namespace must be the name of a namespace, not ../x\n'],
  );
  api.set('/version', 401);
  const unknown = await doctor(t, api);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /^rwo-guard: the API server cannot be asked: .*401.*renew the token or certificate\n$/);
  api.close();
  const away = await doctor(t, api);
  assert.deepEqual([away.code, away.stdout], [2, '']);
  assert.match(away.stderr, /^rwo-guard: the API server cannot be asked: .*ECONNREFUSED.*\n$/);
});
