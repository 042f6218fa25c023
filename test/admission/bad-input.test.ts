import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MalformedReviewError } from '../../src/admission/admission.ts';
import { creating, deployment, enforcing, scene, updating } from './scene.ts';

const MANY = ['web', ...Array.from({ length: 5_000 }, (_, n) => `other-${n}`)];
const repairing = { ...enforcing, 'rwo-guard.dev/mutate': 'auto' };

const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: creating(deployment()) };

for (const [what, body] of [
  ['a body that is no object', 'hello'],
  ['no request', { ...review, request: undefined }],
  ['no uid', { ...review, request: { ...review.request, uid: undefined } }],
  ['an empty uid', { ...review, request: { ...review.request, uid: '' } }],
  ['the wrong kind', { ...review, kind: 'Deployment' }],
  ['the wrong version', { ...review, apiVersion: 'admission.k8s.io/v1beta1' }],
  ['no user', { ...review, request: { ...review.request, userInfo: undefined } }],
] as const) {
  for (const door of ['validate', 'mutate'] as const) {
    test(`${what} is no AdmissionReview to ${door}`, async () => {
      await assert.rejects(scene().admission[door](body, AbortSignal.timeout(5_000)), MalformedReviewError);
    });
  }
}

for (const [what, object] of [
  ['a missing object', null],
  ['an object that is a list', []],
  ['negative replicas', deployment({ replicas: -1 })],
  ['replicas out of range', deployment({ replicas: 2 ** 40 })],
  ['replicas as text', deployment({ replicas: '3' })],
  ['a fraction of a replica', deployment({ replicas: 0.5 })],
  ['a percentage that is none', rolling({ maxSurge: '25' })],
  ['a negative percentage', rolling({ maxUnavailable: '-25%' })],
  ['a percentage without a number', rolling({ maxSurge: '%' })],
  ['a name longer than any', deployment({}, { name: 'a'.repeat(254) })],
  ['a namespace longer than any', deployment({}, { namespace: 'a'.repeat(64) })],
  ['a label longer than any', deployment({}, {}, { nodeSelector: { disk: 'a'.repeat(64) } })],
  ['a strategy that does not exist', deployment({ strategy: { type: 'BlueGreen' } })],
  ['volumes that are no list', deployment({}, {}, { volumes: { data: {} } })],
  [
    'replicas that are 100,000 lists deep',
    deployment({ replicas: JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) }),
  ],
  ['labels that are no text', deployment({}, { annotations: { 'rwo-guard.dev/ignore': 5 } })],
] as const) {
  test(`${what} gets an answer with the right uid, and never a denial`, async () => {
    const request = { ...creating(deployment()), object };
    for (const door of ['validate', 'mutate'] as const) {
      const { response, observation } = await scene({ labels: enforcing })[door](request);
      assert.deepEqual([response.uid, response.allowed, observation.verdict], ['u-1', true, 'skip']);
    }
  });
}

for (const maxSurge of ['300%', `${'0'.repeat(40)}25%`, `${'9'.repeat(40)}%`]) {
  test(`a surge of ${maxSurge} is legal, and judged`, async () => {
    const { response } = await scene({ labels: enforcing }).validate(creating(rolling({ maxSurge })));
    assert.equal(response.allowed, false);
  });
}

test('what replaces an object that could not be read is judged like a new one', async () => {
  const unread = rolling({ maxSurge: 'much' });
  assert.equal((await scene({ labels: enforcing }).validate(updating(unread, deployment()))).response.allowed, false);
});

test('a claim whose name is longer than any hides nothing of the other claims', async () => {
  const volumes = ['data', 'a'.repeat(300)].map((claimName, n) => ({
    name: `v${n}`,
    persistentVolumeClaim: { claimName },
  }));
  const { response } = await scene({ labels: enforcing }).validate(creating(deployment({}, {}, { volumes })));
  assert.equal(response.allowed, false);
});

test('a uid, a kind or an operation that is longer than any is no AdmissionReview', async () => {
  const long = 'a'.repeat(254);
  for (const wrong of [{ uid: long }, { operation: long }, { kind: { group: '', version: 'v1', kind: long } }]) {
    await assert.rejects(scene().validate({ ...creating(deployment()), ...wrong }), MalformedReviewError);
  }
});

for (const [what, metadata] of [
  ['managedFields that are no objects', { managedFields: [true] }],
  ['managedFields that are no list', { managedFields: 'x' }],
  ['fields of an Apply entry that are a list', { managedFields: [{ operation: 'Apply', fieldsV1: [] }] }],
] as const) {
  test(`${what} keep a Deployment from being repaired, and nothing worse`, async () => {
    const { response, observation } = await scene({ labels: repairing }).mutate(creating(deployment({}, metadata)));
    assert.deepEqual([response.allowed, response.patch, observation.verdict], [true, undefined, 'skip']);
  });
}

for (const [what, selector] of [
  ['that names very many values', { matchExpressions: [{ key: 'app', operator: 'In', values: MANY }] }],
  ['10,000 lists deep', { matchLabels: { app: 'web' }, deep: JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) }],
] as const) {
  test(`a selector ${what} is not repeated in a patch, and the annotation says why nothing is repaired`, async () => {
    const labels = { ...repairing, 'rwo-guard.dev/mutate': 'pod-affinity' };
    const { response, observation } = await scene({ labels }).mutate(creating(deployment({ selector, replicas: 2 })));
    assert.deepEqual([response.patch, observation.verdict], [undefined, 'allow']);
    assert.match(response.auditAnnotations?.skipped ?? '', /too large/);
  });
}

test('keys named __proto__ and constructor are read as what they are', async () => {
  const labels = JSON.parse('{"__proto__": "x", "constructor": "y"}');
  const odd = deployment({}, { labels, annotations: labels });
  assert.equal((await scene({ labels: enforcing }).validate(creating(odd))).response.allowed, false);
});

test('null groups, as Go writes an empty list, are no groups', async () => {
  const userInfo = { username: 'jane', groups: null };
  assert.equal(
    (await scene({ labels: enforcing }).validate(creating(deployment(), { userInfo }))).response.allowed,
    false,
  );
});

test('an object with generateName is called by what it will be named after', async () => {
  const generated = deployment({}, { name: undefined, generateName: 'web-' });
  const { response } = await scene({ labels: enforcing }).validate(creating(generated, { name: '' }));
  assert.match(response.status?.message ?? '', /^Deployment shop\/web-\*: /);
});

function rolling(rollingUpdate: object) {
  return deployment({ strategy: { type: 'RollingUpdate', rollingUpdate } });
}
