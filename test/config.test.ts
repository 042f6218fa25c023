import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Config, ConfigError, readConfig } from '../src/config.ts';

test('without a file everything has its default', async () => {
  assert.deepEqual(await readConfig({ flags: {}, env: {} }), {
    listen: '0.0.0.0:8443',
    metricsListen: '0.0.0.0:8080',
    defaultMode: 'warn',
    guards: { mode: 'enforce' },
    dryRun: 'warn',
    existing: 'warn',
    exemptions: 'allow',
    overBudget: 'warn',
    exemptNamespaces: [],
    exemptUsers: [],
    autoscalerUsers: [],
    storage: [],
    audit: { enabled: true, events: true, openReports: true },
    logLevel: 'info',
    metricsNamespaces: [],
    shutdownGraceSeconds: undefined,
    staleAfterSeconds: 120,
    clientAuthentication: undefined,
    service: { namespace: 'rwo-guard', name: 'rwo-guard' },
    certificates: { source: 'secret', secretName: 'rwo-guard-tls', directory: '/etc/rwo-guard/tls' },
    webhookConfigurations: { validating: ['rwo-guard'], mutating: ['rwo-guard'] },
  } satisfies Config);
});

test('an empty file changes nothing', async (t) => {
  assert.deepEqual(await read(t, '# nothing yet\n'), await readConfig({ flags: {}, env: {} }));
});

test('of a folder every YAML file is read, and the later name wins', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  t.after(() => rm(folder, { recursive: true }));
  await assert.rejects(readConfig({ file: folder, flags: {}, env: {} }), {
    message: /must .* hold files named \*\.yaml$/,
  });
  await writeFile(join(folder, 'config.yaml'), 'defaultMode: audit\nexisting: deny\n');
  await writeFile(join(folder, 'enforce.yaml'), 'defaultMode: enforce\n');
  await writeFile(join(folder, 'README'), 'not: [settings');
  const { defaultMode, existing } = await readConfig({ file: folder, flags: {}, env: {} });
  assert.deepEqual([defaultMode, existing], ['enforce', 'deny']);
});

test('texts that were read already count like the files of a folder', async () => {
  const texts = { 'enforce.yaml': 'defaultMode: enforce\n', 'config.yaml': 'defaultMode: audit\n', 'ca.crt': '[' };
  assert.equal((await readConfig({ texts, flags: {}, env: {} })).defaultMode, 'enforce');
});

test('every setting can be written in the file', async (t) => {
  const config = await read(
    t,
    `
    defaultMode: enforce
    guards: { mode: audit }
    dryRun: same
    existing: deny
    exemptions: deny
    exemptNamespaces: [kube-public, team-*]
    exemptUsers: ['system:serviceaccount:velero:*']
    autoscalerUsers: ['system:serviceaccount:keda:keda-operator']
    storage: [{ provisioner: '*.example.com', attach: yes, nodePinned: zone }]
    logLevel: debug
    shutdownGraceSeconds: 3
    staleAfterSeconds: 60
    clientAuthentication: { caFile: /ca.crt, allowedNames: [kube-apiserver] }
    service: { name: guard }
    certificates: { source: files, directory: /certs }
    webhookConfigurations: { validating: [rwo-guard, rwo-guard-guards] }
    `,
  );
  assert.equal(config.defaultMode, 'enforce');
  assert.deepEqual(config.guards, { mode: 'audit' });
  assert.equal(config.shutdownGraceSeconds, 3);
  assert.deepEqual(config.exemptNamespaces, ['kube-public', 'team-*']);
  assert.deepEqual(config.service, { namespace: 'rwo-guard', name: 'guard' });
  assert.deepEqual(config.webhookConfigurations.mutating, ['rwo-guard']);
  assert.deepEqual(config.storage, [
    {
      provisioner: '*.example.com',
      rwo: '?',
      rwop: '?',
      rox: '?',
      rwxFilesystem: '?',
      rwxBlock: '?',
      nodePinned: 'zone',
      attach: 'yes',
    },
  ]);
});

test('what the command line says is stronger than the file', async (t) => {
  const config = await read(t, 'listen: 0.0.0.0:443\n', { flags: { listen: '[::1]:10250' } });
  assert.equal(config.listen, '[::1]:10250');
});

test('the pod’s namespace is where the Service is, unless the file says otherwise', async (t) => {
  const env = { POD_NAMESPACE: 'guard' };
  assert.equal((await readConfig({ flags: {}, env })).service.namespace, 'guard');
  assert.equal((await read(t, 'service: { namespace: other }', { env })).service.namespace, 'other');
});

test('all that is wrong is told at once, each with its field and what it must be', async (t) => {
  const error = await refusalOf(
    t,
    `
    defaultMode: loud
    modes: warn
    exemptUsers: alice
    exemptNamespaces: ['a*b', 3]
    storage: [{ attach: maybe }, { provisioner: 'a*b' }]
    shutdownGraceSeconds: '3'
    service: { port: 443 }
    `,
    { flags: { listen: '8443' } },
  );
  const problems = error.message.split('\n').map((line) => line.replace(/^\S+\/config\.yaml: /, ''));
  assert.deepEqual(problems.sort(), [
    'defaultMode must be enforce, warn, audit or off, not "loud"',
    'exemptNamespaces[0] must be a name, exact or with a trailing *, not "a*b"',
    'exemptNamespaces[1] must be a name, exact or with a trailing *, not 3',
    'exemptUsers must be a list, each item a name, exact or with a trailing *, not "alice"',
    'listen must be HOST:PORT with a port of at most 65535, such as 0.0.0.0:8443, not "8443"',
    'modes is not known: the configuration must be settings out of listen, metricsListen, defaultMode, guards, dryRun, existing, exemptions, overBudget, exemptNamespaces, exemptUsers, autoscalerUsers, storage, audit, logLevel, metricsNamespaces, shutdownGraceSeconds, staleAfterSeconds, clientAuthentication, service, certificates, webhookConfigurations',
    'service.port is not known: service must be settings out of namespace, name',
    'shutdownGraceSeconds must be a number of seconds from 0 to 600, not "3"',
    'storage[0].attach must be yes, no or depends, not "maybe"',
    'storage[0].provisioner is missing: it must be the name of a provisioner, exact or with one * at the start or the end',
    'storage[1].provisioner must be the name of a provisioner, exact or with one * at the start or the end, not "a*b"',
  ]);
});

test('of a folder, what is wrong is told with the file that it stands in', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'config.yaml'), 'existing: keep\n');
  await writeFile(join(folder, 'mine.yaml'), 'dryRun: no\n');
  await assert.rejects(readConfig({ file: folder, flags: {}, env: {} }), {
    message: [
      `${folder}/config.yaml: existing must be warn or deny, not "keep"`,
      `${folder}/mine.yaml: dryRun must be warn or same, not "no"`,
    ].join('\n'),
  });
});

for (const listen of ['0.0.0.0:65536', ':8443', 'localhost', '::1:8443', 'a b:1']) {
  test(`${listen} is no address to listen at`, async () => {
    await assert.rejects(readConfig({ flags: { listen }, env: {} }), ConfigError);
  });
}

for (const listen of ['0.0.0.0:0', '[::]:8443', 'localhost:65535']) {
  test(`${listen} is an address to listen at`, async () => {
    assert.equal((await readConfig({ flags: { listen }, env: {} })).listen, listen);
  });
}

test('a file that is not there is told by its name', async () => {
  await assert.rejects(readConfig({ file: '/nowhere/config.yaml', flags: {}, env: {} }), {
    code: 'BAD_CONFIG',
    message: /^\/nowhere\/config.yaml must be a file that can be read: ENOENT/,
  });
});

test('a file that is no YAML is told by its name and line', async (t) => {
  assert.match((await refusalOf(t, 'service: [')).message, /config\.yaml: .*line 1/);
});

test('a file that holds a list is refused', async (t) => {
  assert.match((await refusalOf(t, '- a\n')).message, /must hold settings/);
});

test('a key named __proto__ is refused like any other', async (t) => {
  assert.match((await refusalOf(t, '__proto__: { defaultMode: off }')).message, /__proto__ is not known/);
});

type Sources = Partial<Parameters<typeof readConfig>[0]>;

async function read(t: TestContext, text: string, sources: Sources = {}): Promise<Config> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'config.yaml');
  await writeFile(file, text);
  return readConfig({ file, flags: {}, env: {}, ...sources });
}

async function refusalOf(t: TestContext, text: string, sources?: Sources): Promise<ConfigError> {
  const outcome = await read(t, text, sources).catch((error: unknown) => error);
  assert.ok(outcome instanceof ConfigError);
  return outcome;
}
