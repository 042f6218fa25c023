import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Described, ELSEWHERE, foretold, HOST, REQUIRED } from './scene.ts';

const INDEX = 'apps.kubernetes.io/pod-index';

/** Pods that have to be on the node of one with these labels. */
function beside(matchLabels: JsonObject, matchLabelKeys: readonly string[] = []): JsonObject {
  const term = { topologyKey: HOST, labelSelector: { matchLabels }, matchLabelKeys };
  return { affinity: { podAffinity: { [REQUIRED]: [term] } } };
}

const THREE = { replicas: 3 };
const TWO_AT_ONCE = { parallelism: 2 };
const OF_ITS_JOB = beside({ app: 'web' }, ['job-name']);

/** Pods with a disk for one node, whom they want to be with, and whether that holds all of them. */
const replicas: readonly (readonly [string, Described, boolean])[] = [
  ['a Job by its name', { kind: 'Job', spec: TWO_AT_ONCE, pod: beside({ 'job-name': 'web' }) }, true],
  [
    'a Job by an index, which its pods do not have',
    { kind: 'Job', spec: TWO_AT_ONCE, pod: beside({ app: 'web' }, ['batch.kubernetes.io/job-completion-index']) },
    true,
  ],
  ['a Job by another name', { kind: 'Job', spec: TWO_AT_ONCE, pod: beside({ 'job-name': 'db' }) }, false],
  ['a Job by its UID', { kind: 'Job', spec: TWO_AT_ONCE, pod: beside({}, ['controller-uid']) }, true],
  [
    'an Indexed Job by the index',
    {
      kind: 'Job',
      spec: { ...TWO_AT_ONCE, completionMode: 'Indexed' },
      pod: beside({ app: 'web' }, ['batch.kubernetes.io/job-completion-index']),
    },
    false,
  ],
  [
    'a CronJob by the name of the Job',
    { kind: 'CronJob', spec: { jobTemplate: { spec: { ...TWO_AT_ONCE, template: podsOf(OF_ITS_JOB) } } } },
    true,
  ],
  ['a StatefulSet by the number', { kind: 'StatefulSet', spec: THREE, pod: beside({ app: 'web' }, [INDEX]) }, false],
  [
    'a StatefulSet by the number of its first',
    { kind: 'StatefulSet', spec: THREE, pod: beside({ [INDEX]: '0' }) },
    true,
  ],
  [
    'a Deployment by a number, which its pods do not have',
    { spec: { replicas: 2 }, pod: beside({ app: 'web' }, [INDEX]) },
    true,
  ],
  [
    'a StatefulSet by a number that its first does not have',
    { kind: 'StatefulSet', spec: { ...THREE, ordinals: { start: 5 } }, pod: beside({ [INDEX]: '0' }) },
    false,
  ],
];

function podsOf(spec: JsonObject): JsonObject {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  return { metadata: { labels: { app: 'web' } }, spec: { ...spec, volumes } };
}

for (const [name, described, held] of replicas) {
  test(`pods of ${name} are ${held ? '' : 'not '}held together`, () => {
    assert.deepEqual(foretold(described).certain.steady.reasons, held ? [] : [ELSEWHERE]);
  });
}

for (const label of [
  'job-name',
  'controller-uid',
  'batch.kubernetes.io/job-name',
  'batch.kubernetes.io/controller-uid',
]) {
  test(`pods of the next run of a CronJob are not held to those of the last by ${label}`, () => {
    const template = podsOf(beside({ app: 'web' }, [label]));
    const described: Described = { kind: 'CronJob', spec: { jobTemplate: { spec: { template } } } };
    assert.deepEqual(
      foretold(described).certain.shared.map(({ user, reasons }) => [user, reasons]),
      [['its next run', [ELSEWHERE]]],
    );
  });
}

test('pods of a Deployment that have to be with those of the same Job are held to all, as none is of a Job', () => {
  const described: Described = { pod: OF_ITS_JOB };
  assert.deepEqual(foretold(described, { before: described }).certain.rollout.reasons, []);
});

test('pods of a StatefulSet that have to be with the first or the last stay together in a rollout', () => {
  const term = {
    topologyKey: HOST,
    labelSelector: { matchExpressions: [{ key: INDEX, operator: 'In', values: ['0', '2'] }] },
  };
  const pod = { affinity: { podAffinity: { [REQUIRED]: [term] } } };
  const described: Described = { kind: 'StatefulSet', spec: THREE, pod };
  assert.deepEqual(foretold(described, { before: described }).certain.rollout.reasons, []);
});

/** Which pod of a StatefulSet the others have to be with, what of it is updated, and whether a pod of it may part then. */
const rollouts: readonly (readonly [string, JsonObject, JsonObject, boolean])[] = [
  ['the first, which comes last', { [INDEX]: '0' }, THREE, true],
  [
    'the first, which stays',
    { [INDEX]: '0' },
    { ...THREE, updateStrategy: { rollingUpdate: { partition: 1 } } },
    false,
  ],
  ['the last, which comes first', { [INDEX]: '2' }, { ...THREE, podManagementPolicy: 'Parallel' }, true],
  ['any', { app: 'web' }, THREE, false],
];

for (const [name, labels, spec, parts] of rollouts) {
  test(`pods of a StatefulSet that have to be with ${name}, ${parts ? 'may part' : 'stay together'} in a rollout`, () => {
    const described: Described = { kind: 'StatefulSet', spec, pod: beside(labels) };
    const { rollout } = foretold(described, { before: described }).certain;
    assert.deepEqual(rollout.reasons, parts ? [ELSEWHERE] : []);
  });
}

test('a neighbour that has to be with the first pod of a StatefulSet is held to it', () => {
  const others: readonly Described[] = [{ kind: 'StatefulSet', name: 'db' }];
  const { shared } = foretold({ pod: beside({ 'statefulset.kubernetes.io/pod-name': 'db-0' }) }, { others }).certain;
  assert.deepEqual(shared, []);
});
