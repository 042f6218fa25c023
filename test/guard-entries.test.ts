import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../src/objects/json.ts';
import { chartObjects, only } from './manifest-objects.ts';

const COMPONENTS = join(import.meta.dirname, '../manifests/kustomize/components');

function documents(file: string): readonly JsonObject[] {
  return parseAllDocuments(readFileSync(join(COMPONENTS, file), 'utf8')).map((document) => document.toJS());
}

const configurations = [
  'guards/validating-webhook.yaml',
  'guards/mutating-webhook.yaml',
  'unfenced-force-delete/validating-webhook.yaml',
].map((file) => only(documents(file)));

const entries = configurations.map((configuration) => only(objectsAt(configuration, 'webhooks')));

/** Which entry is called for what. */
const MATCHED: Readonly<Record<string, readonly string[]>> = {
  'guard.rwo-guard.dev': [
    'Cluster /nodes UPDATE DELETE',
    'Cluster storage.k8s.io/volumeattachments UPDATE DELETE',
    'Namespaced /persistentvolumeclaims DELETE',
  ],
  'boot-id.rwo-guard.dev': ['Cluster /nodes UPDATE'],
  'force-delete.rwo-guard.dev': ['Namespaced /pods DELETE'],
};

for (const entry of entries) {
  const name = stringAt(entry, 'name') ?? '';

  test(`${name} writes out every field that the API server would default`, () => {
    const defaulted = [
      ...['admissionReviewVersions', 'clientConfig', 'failurePolicy', 'matchConditions', 'matchPolicy', 'name'],
      ...[
        'namespaceSelector',
        'objectSelector',
        ...(entry.reinvocationPolicy === undefined ? [] : ['reinvocationPolicy']),
      ],
      ...['rules', 'sideEffects', 'timeoutSeconds'],
    ];
    assert.deepEqual(Object.keys(entry).sort(), defaulted);
    assert.equal(objectAt(objectAt(entry, 'clientConfig'), 'service')?.port, 443);
  });

  test(`${name} stops nobody when the server is away, and waits briefly`, () => {
    assert.deepEqual([entry.failurePolicy, entry.sideEffects, entry.timeoutSeconds], ['Ignore', 'None', 3]);
  });

  test(`${name} is called for that alone which guards judge, and never for what a heartbeat writes`, () => {
    const matched = objectsAt(entry, 'rules').flatMap((rule) =>
      stringsAt(rule, 'resources').map(
        (resource) =>
          `${rule.scope} ${stringsAt(rule, 'apiGroups')}/${resource} ${stringsAt(rule, 'operations').join(' ')}`,
      ),
    );
    assert.deepEqual(matched, MATCHED[name]);
  });

  test(`${name} is never called for Kubernetes' own controllers, and reads what may be absent with orValue`, () => {
    const expressions = objectsAt(entry, 'matchConditions').map((condition) => stringAt(condition, 'expression') ?? '');
    const all = expressions.join('\n');
    for (const sender of ['system:kube-', 'system:apiserver', 'system:nodes', 'system:serviceaccounts:kube-system']) {
      assert.ok(all.includes(`'${sender}'`), sender);
    }
    assert.doesNotMatch(all, /(object|oldObject|userInfo|options)\.[a-z]|request\.(subResource|options|dryRun)/i);
    assert.doesNotMatch(all, /namespaceObject/);
  });
}

test('the pods of a force delete are those that the forecast reads the volumes of, and ephemeral ones', () => {
  const base = parse(readFileSync(join(COMPONENTS, '../base/70-validating-webhook.yaml'), 'utf8'));
  const taken = (of: JsonObject | undefined) =>
    [...JSON.stringify(of?.matchConditions).matchAll(/has\(volume\.(\w+)\)/g)].map(([, field]) => field).sort();
  assert.deepEqual(taken(entries.at(-1)), [...taken(base.webhooks[0]), 'ephemeral'].sort());
});

for (const [index, file] of ['guards-validating-webhook', 'guards-mutating-webhook', 'guards-force-delete'].entries()) {
  test(`the chart’s ${file} has the rules and conditions of the component`, () => {
    const [object = {}] = chartObjects(file);
    const of = (configuration: JsonObject | undefined) =>
      objectsAt(configuration, 'webhooks').map(({ rules, matchConditions }) => ({ rules, matchConditions }));
    assert.deepEqual(of(object), of(configurations[index]));
  });
}

test('guards may read one node, and list pods, and nothing else', () => {
  const [role] = documents('guards/role.yaml');
  assert.deepEqual(role?.rules, [
    { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  ]);
  assert.deepEqual(chartObjects('guards')[0]?.rules, role?.rules);
});
