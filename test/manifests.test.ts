import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import pino from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { listPath } from '../src/cluster/api-resource.ts';
import { readConfig } from '../src/config.ts';
import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../src/objects/json.ts';
import { ALL_KINDS, KINDS } from '../src/objects/kinds.ts';
import { buildHealthServer } from '../src/server/health.ts';
import type { WebhookPath } from '../src/server/server.ts';
import { chartObjects, files, manifest, manifestsOf, named, nameOf, only, pathOf, yamlIn } from './manifest-objects.ts';

const run = promisify(execFile);

const kustomization = yamlIn('kustomization.yaml');
const configurations = [manifest('ValidatingWebhookConfiguration'), manifest('MutatingWebhookConfiguration')];

const podSpec = objectAt(objectAt(objectAt(manifest('Deployment'), 'spec'), 'template'), 'spec');
const container = only(objectsAt(podSpec, 'containers'));

test('the kustomization applies every numbered file in the order of its number', () => {
  assert.deepEqual(stringsAt(kustomization, 'resources'), files);
});

test('the image has the version of the package', () => {
  const image = only(objectsAt(kustomization, 'images'));
  assert.equal(stringAt(container, 'image'), stringAt(image, 'name'));
  assert.equal(stringAt(image, 'newTag'), packageJson.version);
});

test('the server may read every kind as the table of kinds says, and no other resource of the cluster', () => {
  const rules = objectsAt(named('ClusterRole', 'rwo-guard-cluster-state'), 'rules');
  const rights = ALL_KINDS.map((kind) => `${listPath(kind)} ${KINDS[kind].verbs.join(' ')}`);
  assert.deepEqual(rules.flatMap(rightsOf).sort(), rights.sort());
});

test('the audit may write Events and Reports, and lists what it wrote', () => {
  const rules = objectsAt(named('ClusterRole', 'rwo-guard-audit'), 'rules');
  assert.deepEqual(rules.flatMap(rightsOf), [
    '/apis/events.k8s.io/v1/events list create patch',
    '/apis/openreports.io/v1/reports list create patch delete',
  ]);
});

test('but for the audit, the server may write its own webhook configurations, and no object of the cluster else', () => {
  const writing = manifestsOf('ClusterRole')
    .filter((role) => nameOf(role) !== 'rwo-guard-audit')
    .flatMap((role) => objectsAt(role, 'rules'))
    .filter((rule) => stringsAt(rule, 'verbs').some((verb) => !['get', 'list', 'watch'].includes(verb)));
  const rule = only(writing);
  assert.deepEqual(stringsAt(rule, 'resourceNames'), ['rwo-guard']);
  assert.deepEqual(stringsAt(rule, 'verbs'), ['patch']);
  assert.deepEqual(configurations.map(nameOf), ['rwo-guard', 'rwo-guard']);
});

for (const file of ['cluster-state', 'audit', 'validating-webhook', 'mutating-webhook']) {
  test(`the chart’s ${file} has the rules of the kustomization`, () => {
    const rulesOf = (of: JsonObject | undefined) =>
      of && [of.rules, ...objectsAt(of, 'webhooks').map(({ rules }) => rules)];
    for (const object of chartObjects(file)) {
      const plain = manifestsOf(String(object.kind)).find((other) => nameOf(other) === nameOf(object));
      assert.deepEqual(rulesOf(object), rulesOf(plain));
    }
  });
}

test('every role is bound, to the account that the pods run as', () => {
  const account = { kind: 'ServiceAccount', name: stringAt(podSpec, 'serviceAccountName'), namespace: 'rwo-guard' };
  for (const kind of ['ClusterRole', 'Role']) {
    const roles = manifestsOf(kind).map(nameOf);
    const bindings = manifestsOf(`${kind}Binding`);
    assert.deepEqual(
      bindings.map((binding) => stringAt(objectAt(binding, 'roleRef'), 'name')),
      roles,
    );
    for (const binding of bindings) assert.deepEqual(objectsAt(binding, 'subjects'), [account]);
  }
});

test('the Service leads from the port that the webhooks name to the port that the server listens on', () => {
  const service = manifest('Service');
  const port = only(objectsAt(objectAt(service, 'spec'), 'ports'));
  for (const entry of configurations.flatMap((configuration) => objectsAt(configuration, 'webhooks'))) {
    const { name, namespace, port: called } = objectAt(objectAt(entry, 'clientConfig'), 'service') ?? {};
    assert.deepEqual([name, namespace, called], [nameOf(service), 'rwo-guard', port.port]);
  }
  assert.equal(containerPort(stringAt(port, 'targetPort')), portOf('--listen'));
});

test('the configuration is valid, and means what the manifests say', async () => {
  const env = { POD_NAMESPACE: 'rwo-guard' };
  const config = await readConfig({ file: pathOf('config.yaml'), flags: {}, env });
  assert.equal(nameOf(manifest('Secret')), config.certificates.secretName);
  const secret = objectsAt(named('Role', 'rwo-guard-serving-certificate'), 'rules').map((rule) =>
    stringsAt(rule, 'resourceNames'),
  );
  assert.deepEqual(secret, [[config.certificates.secretName], []]);
  assert.deepEqual(config.service, { name: nameOf(manifest('Service')), namespace: env.POD_NAMESPACE });
  const { validating, mutating } = config.webhookConfigurations;
  assert.deepEqual([...validating, ...mutating], configurations.map(nameOf));
});

test('every argument is one that the server knows', async () => {
  const main = join(import.meta.dirname, '../src/main.ts');
  const { stdout } = await run(process.execPath, [main, 'serve', '--help']);
  const [command, ...flags] = stringsAt(container, 'args').map((argument) => argument.split('=')[0] ?? '');
  assert.equal(command, 'serve');
  for (const flag of flags) assert.ok(stdout.includes(`${flag} <`), `${flag} is not among\n${stdout}`);
});

test('the server is told where its configuration is mounted', () => {
  const { mountPath } = only(objectsAt(container, 'volumeMounts'));
  assert.ok(stringsAt(container, 'args').includes(`--config=${mountPath}`));
});

test('the webhooks call the paths that the server has', () => {
  const paths: readonly WebhookPath[] = ['validate', 'mutate'];
  for (const [index, path] of paths.entries()) {
    for (const entry of objectsAt(configurations[index], 'webhooks')) {
      assert.equal(stringAt(objectAt(objectAt(entry, 'clientConfig'), 'service'), 'path'), `/${path}`);
    }
  }
});

test('the probes ask the plain port for paths that it has', async (t) => {
  const log = pino({ level: 'silent' });
  const server = buildHealthServer({
    conditions: () => [],
    metrics: () => Promise.reject(new Error('no numbers')),
    log,
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const probe of ['livenessProbe', 'readinessProbe']) {
    const httpGet = objectAt(objectAt(container, probe), 'httpGet');
    assert.equal(containerPort(stringAt(httpGet, 'port')), portOf('--metrics-listen'));
    const { status } = await fetch(`http://127.0.0.1:${port}${stringAt(httpGet, 'path')}`);
    assert.equal(status, 200);
  }
});

test('the pods keep the restricted Pod Security Standard that their namespace asks for', () => {
  const labels = objectAt(objectAt(manifest('Namespace'), 'metadata'), 'labels');
  assert.equal(stringAt(labels, 'pod-security.kubernetes.io/enforce'), 'restricted');
  assert.equal(labels?.['control-plane'], undefined);
  assert.deepEqual(objectAt(podSpec, 'securityContext'), {
    runAsNonRoot: true,
    runAsUser: 65532,
    runAsGroup: 65532,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  assert.deepEqual(objectAt(container, 'securityContext'), {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

/** What a rule allows, as the paths of lists with the verbs. */
function rightsOf(rule: JsonObject): readonly string[] {
  const verbs = stringsAt(rule, 'verbs').join(' ');
  return stringsAt(rule, 'apiGroups').flatMap((group) =>
    stringsAt(rule, 'resources').map(
      (resource) => `/${group === '' ? 'api' : `apis/${group}`}/v1/${resource} ${verbs}`,
    ),
  );
}

function containerPort(name: string | undefined): unknown {
  return objectsAt(container, 'ports').find((port) => stringAt(port, 'name') === name)?.containerPort;
}

function portOf(flag: string): number {
  const argument = stringsAt(container, 'args').find((text) => text.startsWith(`${flag}=`));
  return Number(argument?.split(':').at(-1));
}
