import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_KINDS, isWorkloadKind, KINDS, kindOf, kindServedAs, WORKLOAD_KINDS } from '../../src/objects/kinds.ts';

test('each kind is known by its version and its name, and by no other version', () => {
  for (const kind of ALL_KINDS) {
    assert.equal(kindOf({ apiVersion: KINDS[kind].apiVersion, kind }), kind);
    assert.equal(kindOf({ apiVersion: 'example.com/v1', kind }), undefined);
  }
  assert.equal(kindOf({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' }), 'HorizontalPodAutoscaler');
});

test('each kind is known by its resource in a request, and by no other group or version', () => {
  for (const kind of ALL_KINDS) {
    const { apiVersion, list: resource } = KINDS[kind];
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    assert.equal(kindServedAs({ group, version, resource }), kind);
    assert.equal(kindServedAs({ group: 'example.com', version, resource }), undefined);
    assert.equal(kindServedAs({ group, version: 'v0', resource }), undefined);
  }
});

test('what only sounds like a kind is none', () => {
  for (const kind of ['constructor', 'deployment', '', undefined, 1]) {
    assert.equal(kindOf({ apiVersion: 'apps/v1', kind }), undefined);
    assert.equal(isWorkloadKind(kind), false);
  }
  assert.equal(kindServedAs({ group: '', version: 'v1', resource: 'pods' }), undefined);
  assert.deepEqual(ALL_KINDS.filter(isWorkloadKind), WORKLOAD_KINDS);
});
