import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MalformedReviewError } from '../../src/admission/admission.ts';
import { creating, deployment, enforcing, scene } from './scene.ts';

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
  ['a percentage with a billion digits too many', rolling({ maxSurge: `${'9'.repeat(40)}%` })],
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

test('a percentage above 100 is a legal surge', async () => {
  const { response } = await scene({ labels: enforcing }).validate(creating(rolling({ maxSurge: '300%' })));
  assert.equal(response.allowed, false);
});

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
  assert.match(response.status?.message ?? '', /^web-\*: /);
});

function rolling(rollingUpdate: object) {
  return deployment({ strategy: { type: 'RollingUpdate', rollingUpdate } });
}
