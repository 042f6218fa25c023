import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Declared, declaredInManifest } from '../../src/mutations/declared.ts';
import type { JsonObject } from '../../src/objects/json.ts';

const PATH = ['spec', 'strategy'];
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function managed(operation: string, fieldsV1: JsonObject): JsonObject {
  return { metadata: { managedFields: [{ manager: 'somebody', operation, fieldsV1 }] } };
}

function lastApplied(text: string): JsonObject {
  return { metadata: { annotations: { [LAST_APPLIED]: text } } };
}

const OWNED = { 'f:spec': { 'f:strategy': { 'f:type': {} } } };
const OTHER = { 'f:spec': { 'f:replicas': {} } };

const cases: Readonly<Record<string, [JsonObject, Declared]>> = {
  'an Apply entry that owns it': [managed('Apply', OWNED), 'yes'],
  'an Apply entry that owns something else': [managed('Apply', OTHER), 'no'],
  'an Update entry alone, which may hold defaults': [managed('Update', OWNED), 'unknown'],
  'last-applied with it': [lastApplied('{"spec":{"strategy":{"type":"RollingUpdate"}}}'), 'yes'],
  'last-applied with it set to null': [lastApplied('{"spec":{"strategy":null}}'), 'yes'],
  'last-applied without it': [lastApplied('{"spec":{}}'), 'no'],
  'last-applied that is no object': [lastApplied('[]'), 'no'],
  'last-applied that is no JSON': [lastApplied('{'), 'unknown'],
  'an object that tells nothing': [{}, 'unknown'],
  'an object without metadata of use': [{ metadata: { managedFields: [], annotations: {} } }, 'unknown'],
};

for (const [name, [object, declared]] of Object.entries(cases)) {
  test(`by ${name} a field is declared: ${declared}`, () => {
    assert.equal(declaredInManifest(object, PATH), declared);
  });
}

test('of several Apply entries one that owns the field is enough', () => {
  const managedFields = [OTHER, OWNED].map((fieldsV1) => ({ operation: 'Apply', fieldsV1 }));
  assert.equal(declaredInManifest({ metadata: { managedFields } }, PATH), 'yes');
});
