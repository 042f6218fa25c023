import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { readConfig } from '../src/config.ts';
import { MODES } from '../src/decision/mode.ts';
import { LOG_LEVELS } from '../src/log.ts';
import { isObject, type JsonObject, objectAt } from '../src/objects/json.ts';
import { folderFor } from './program.ts';

const CHART = join(import.meta.dirname, '../manifests/helm/rwo-guard');
const schema: JsonObject = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
const values: JsonObject = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));

/** Those that the chart writes itself, as arguments or from values of other names. */
const OF_THE_CHART = [
  'listen',
  'metricsListen',
  'clientAuthentication',
  'service',
  'certificates',
  'webhookConfigurations',
];

test('the chart’s own values keep to its schema', () => {
  const isValid = new Ajv({ allErrors: true }).compile(schema);
  assert.ok(isValid(values), JSON.stringify(isValid.errors));
});

test('every value that the schema knows has its line in values.yaml', () => {
  const missing = unsaid(schema, values).filter((path) => path !== 'global' && !path.startsWith('config.'));
  // What an issuerRef is made of is cert-manager's to say, and has no default.
  assert.deepEqual(
    missing.filter((path) => !path.startsWith('certificates.issuerRef.')),
    [],
  );
});

test('the chart takes every setting of the server that is not its own to make', async () => {
  const settings = Object.keys(await readConfig({ flags: {}, env: {} })).filter((name) => !OF_THE_CHART.includes(name));
  const config = objectAt(objectAt(objectAt(schema, 'properties'), 'config'), 'properties');
  assert.deepEqual(Object.keys(config ?? {}).sort(), settings.sort());
  assert.deepEqual(objectAt(config, 'defaultMode')?.enum, MODES);
  assert.deepEqual(new Set(objectAt(config, 'logLevel')?.enum as readonly string[]), new Set(LOG_LEVELS));
});

for (const { config, good } of [
  { config: { exemptNamespaces: ['team-*', 'kube-public', '*'] }, good: true },
  { config: { exemptNamespaces: ['a*b'] }, good: false },
  { config: { exemptUsers: ['*:robot'] }, good: false },
  { config: { autoscalerUsers: ['a b'] }, good: false },
  { config: { autoscalerUsers: [''] }, good: false },
  { config: { storage: [{ provisioner: '*.example.com' }, { provisioner: 'disks.*' }] }, good: true },
  { config: { storage: [{ provisioner: '*x*' }] }, good: false },
  { config: { storage: [{ provisioner: '*' }] }, good: false },
  { config: { storage: [{ attach: 'yes' }] }, good: false },
  { config: { shutdownGraceSeconds: 601 }, good: false },
  { config: { audit: { enabled: false, events: true } }, good: true },
  { config: { audit: { events: 'yes' } }, good: false },
  { config: { audit: { reports: true } }, good: false },
  { config: { staleAfterSeconds: 10 }, good: true },
  { config: { staleAfterSeconds: 9 }, good: false },
]) {
  test(`the chart ${good ? 'takes' : 'refuses'} ${JSON.stringify(config)}, as the server does`, async (t) => {
    const isValid = new Ajv().compile(schema);
    assert.equal(isValid({ ...values, config }), good);
    const file = join(await folderFor(t), 'config.json');
    await writeFile(file, JSON.stringify(config));
    const byServer = readConfig({ file, flags: {}, env: {} });
    await (good ? byServer : assert.rejects(byServer, { code: 'BAD_CONFIG' }));
  });
}

/** The paths of the schema's properties that have no value. */
function unsaid(schema: JsonObject, value: unknown, path = ''): readonly string[] {
  return Object.entries(objectAt(schema, 'properties') ?? {}).flatMap(([name, property]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const found = isObject(value) ? value[name] : undefined;
    return found === undefined ? [here] : unsaid(isObject(property) ? property : {}, found, here);
  });
}
