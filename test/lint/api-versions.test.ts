import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asServedToday } from '../../src/lint/api-versions.ts';
import { lintText } from './linted.ts';
import { claim, deployment, written } from './manifests.ts';

for (const { apiVersion, spec, found, because } of [
  {
    apiVersion: 'apps/v1',
    spec: {},
    found: ['rollout-deadlock'],
    because: 'a quarter of one replica may be gone: none',
  },
  { apiVersion: 'apps/v1beta2', spec: {}, found: ['rollout-deadlock'], because: 'it defaults as apps/v1 does' },
  { apiVersion: 'apps/v1beta1', spec: {}, found: ['rollout-deadlock'], because: 'it defaults as apps/v1 does' },
  {
    apiVersion: 'extensions/v1beta1',
    spec: {},
    found: ['rollout-transient'],
    because: 'one of one replica may be gone',
  },
  {
    apiVersion: 'extensions/v1beta1',
    spec: { strategy: { rollingUpdate: { maxUnavailable: 0 } } },
    found: ['rollout-deadlock'],
    because: 'what is written counts',
  },
  { apiVersion: 'extensions/v1beta1', spec: { strategy: { type: 'Recreate' } }, found: [], because: 'it is written' },
]) {
  test(`a Deployment of ${apiVersion} with ${JSON.stringify(spec)}: ${found.join() || 'nothing'}, because ${because}`, async (t) => {
    const { printed } = await lintText(t, written(claim(), { ...deployment(spec), apiVersion }));
    assert.deepEqual(
      printed.findings.map(({ rule, resource }) => [rule, resource.apiVersion]),
      found.map((rule) => [rule, apiVersion]),
    );
  });
}

for (const [before, after] of [
  ['apps/v1beta2 StatefulSet', 'apps/v1'],
  ['extensions/v1beta1 ReplicaSet', 'apps/v1'],
  ['batch/v1beta1 CronJob', 'batch/v1'],
  ['storage.k8s.io/v1beta1 StorageClass', 'storage.k8s.io/v1'],
  ['autoscaling/v2beta2 HorizontalPodAutoscaler', 'autoscaling/v2'],
  ['example.com/v1beta1 Deployment', 'example.com/v1beta1'],
] as const) {
  test(`${before} is read as ${after}`, () => {
    const [apiVersion, kind] = before.split(' ');
    assert.equal(asServedToday({ apiVersion, kind }).apiVersion, after);
  });
}

for (const before of ['apps/v1beta1 StatefulSet', 'extensions/v1beta1 DaemonSet']) {
  test(`a ${before} is updated by hand, unless it says otherwise`, () => {
    const [apiVersion, kind] = before.split(' ');
    const strategyIn = (spec: object) => JSON.stringify(asServedToday({ apiVersion, kind, spec }).spec);
    assert.equal(strategyIn({ updateStrategy: null }), '{"updateStrategy":{"type":"OnDelete"}}');
    assert.equal(
      strategyIn({ updateStrategy: { type: 'RollingUpdate' } }),
      '{"updateStrategy":{"type":"RollingUpdate"}}',
    );
  });
}
