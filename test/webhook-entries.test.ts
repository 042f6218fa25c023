import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '../src/objects/json.ts';
import { JUDGED_KINDS, rowOf } from '../src/objects/kinds.ts';
import { podTemplateFrom } from '../src/objects/pod-template.ts';
import { labelSelectorAt, matchesSelector } from '../src/objects/selector.ts';
import { manifest, only, yamlIn } from './manifest-objects.ts';

const validating = manifest('ValidatingWebhookConfiguration');
const mutating = manifest('MutatingWebhookConfiguration');
const entries = [...objectsAt(validating, 'webhooks'), ...objectsAt(mutating, 'webhooks')];

test('no manifest names caBundle, which is the server’s own', () => {
  for (const configuration of [validating, mutating]) assert.doesNotMatch(JSON.stringify(configuration), /"caBundle"/);
});

for (const entry of entries) {
  test(`${stringAt(entry, 'name')} writes out every field that the API server would default`, () => {
    const defaulted = [
      'admissionReviewVersions',
      'clientConfig',
      'failurePolicy',
      'matchConditions',
      'matchPolicy',
      'name',
      'namespaceSelector',
      'objectSelector',
      ...(entry.reinvocationPolicy === undefined ? [] : ['reinvocationPolicy']),
      'rules',
      'sideEffects',
      'timeoutSeconds',
    ];
    assert.deepEqual(Object.keys(entry).sort(), defaulted);
    assert.equal(objectAt(objectAt(entry, 'clientConfig'), 'service')?.port, 443);
    for (const rule of objectsAt(entry, 'rules')) assert.equal(stringAt(rule, 'scope'), 'Namespaced');
  });

  test(`${stringAt(entry, 'name')} stops nobody when the server is away, and waits briefly`, () => {
    assert.equal(stringAt(entry, 'failurePolicy'), 'Ignore');
    assert.equal(stringAt(entry, 'sideEffects'), 'None');
    assert.equal(entry.timeoutSeconds, 3);
  });

  test(`${stringAt(entry, 'name')} never matches pods, leases, status, wildcards or deletions`, () => {
    for (const rule of objectsAt(entry, 'rules')) {
      for (const resource of stringsAt(rule, 'resources')) assert.doesNotMatch(resource, /^pods|leases|\/status$/);
      for (const operation of stringsAt(rule, 'operations')) assert.match(operation, /^(CREATE|UPDATE)$/);
      assert.doesNotMatch(JSON.stringify(rule), /\*/);
    }
  });

  test(`${stringAt(entry, 'name')} reads what may be absent with orValue, so that no expression can fail`, () => {
    for (const condition of objectsAt(entry, 'matchConditions')) {
      const expression = stringAt(condition, 'expression') ?? '';
      assert.doesNotMatch(expression, /(object|owner|userInfo)\.[a-z]|namespaceObject|request\.(subResource|dryRun)/i);
    }
  });

  test(`${stringAt(entry, 'name')} walks over no list that may be so long that the expression fails`, () => {
    for (const condition of objectsAt(entry, 'matchConditions')) {
      const expression = (stringAt(condition, 'expression') ?? '').replaceAll(/\s+/g, ' ');
      const walked = [...expression.matchAll(/(\S+)\.exists\(|(\S+) \.exists\(/g)].map(
        ([, one, other]) => one ?? other,
      );
      for (const list of walked)
        assert.ok(expression.includes(`${list?.replace(/^!/, '')}.size() > 256 ||`), expression);
    }
  });

  test(`${stringAt(entry, 'name')} takes the volumes that the forecast reads, and no others`, () => {
    const condition = objectsAt(entry, 'matchConditions').find(({ name }) => /-mounts-a-volume$/.test(String(name)));
    const taken = [...(stringAt(condition, 'expression') ?? '').matchAll(/has\(volume\.(\w+)\)/g)].map(
      ([, field]) => field,
    );
    assert.deepEqual(taken.sort(), VOLUME_SOURCES.filter(isRead));
  });
}

for (const entry of objectsAt(validating, 'webhooks')) {
  test(`${stringAt(entry, 'name')} matches every kind that is judged, and scale where the API serves it`, () => {
    const expected = JUDGED_KINDS.flatMap((kind) => {
      const { apiVersion, list, scalable } = rowOf(kind);
      const resource = `${apiVersion.split('/').at(-2) ?? ''}/${list}`;
      return [`${resource} CREATE UPDATE`, ...(scalable ? [`${resource}/scale UPDATE`] : [])];
    });
    assert.deepEqual(matched(entry), expected.sort());
  });
}

test('mutate.rwo-guard.dev matches Deployments alone', () => {
  assert.deepEqual(matched(only(objectsAt(mutating, 'webhooks'))), ['apps/deployments CREATE UPDATE']);
});

for (const mode of ['enforce', 'warn', 'audit', 'off', 'nonsense', undefined]) {
  for (const namespace of ['shop', 'kube-system', 'kube-node-lease', 'rwo-guard']) {
    const judged = namespace === 'shop' && mode !== 'off';
    test(`mode ${mode ?? 'unset'} in ${namespace} reaches ${judged ? 'one' : 'no'} validating entry`, () => {
      const labels = labelsOf(namespace, mode);
      const reached = objectsAt(validating, 'webhooks').filter((entry) => selects(entry, labels));
      const expected = mode === 'enforce' ? 'enforce.rwo-guard.dev' : 'advise.rwo-guard.dev';
      assert.deepEqual(
        reached.map((entry) => stringAt(entry, 'name')),
        judged ? [expected] : [],
      );
    });

    test(`mode ${mode ?? 'unset'} in ${namespace} ${judged ? 'repairs where asked to' : 'repairs nothing'}`, () => {
      const labels = labelsOf(namespace, mode);
      const entry = only(objectsAt(mutating, 'webhooks'));
      assert.equal(selects(entry, labels), false);
      assert.equal(selects(entry, new Map([...labels, ['rwo-guard.dev/mutate', 'auto']])), judged);
    });
  }
}

test('the selectors’ namespace follows an overlay, by a reference that kustomize resolves', () => {
  const [reference] = objectsAt(yamlIn('name-reference.yaml'), 'nameReference');
  assert.equal(stringAt(reference, 'kind'), 'Namespace');
  assert.deepEqual(
    objectsAt(reference, 'fieldSpecs').map((spec) => stringAt(spec, 'kind')),
    ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'],
  );
  for (const spec of objectsAt(reference, 'fieldSpecs')) {
    assert.equal(stringAt(spec, 'path'), 'webhooks/namespaceSelector/matchExpressions/values');
  }
});

/** `staging/api/core/v1/types.go:VolumeSource`, every field. */
const VOLUME_SOURCES = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'glusterfs',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'persistentVolumeClaim',
  'photonPersistentDisk',
  'portworxVolume',
  'projected',
  'quobyte',
  'rbd',
  'scaleIO',
  'secret',
  'storageos',
  'vsphereVolume',
];

function isRead(source: string): boolean {
  const volumes = [{ name: 'data', [source]: { claimName: 'data' } }];
  return podTemplateFrom({ spec: { volumes } }).volumes.length > 0;
}

/** Each resource with its group and the operations that are matched. */
function matched(entry: JsonObject): readonly string[] {
  const all = objectsAt(entry, 'rules').flatMap((rule) =>
    stringsAt(rule, 'apiGroups').flatMap((group) =>
      stringsAt(rule, 'resources').map((resource) => `${group}/${resource} ${stringsAt(rule, 'operations').join(' ')}`),
    ),
  );
  return all.sort();
}

function labelsOf(namespace: string, mode: string | undefined): ReadonlyMap<string, string> {
  const labels = new Map([['kubernetes.io/metadata.name', namespace]]);
  return mode === undefined ? labels : labels.set('rwo-guard.dev/mode', mode);
}

function selects(entry: JsonObject, labels: ReadonlyMap<string, string>): boolean {
  return matchesSelector(labelSelectorAt(entry, 'namespaceSelector') ?? [], labels);
}
