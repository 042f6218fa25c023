import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/cluster/api-error.ts';
import { liveLookup } from '../../src/cluster/live-lookup.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { ObjectRef } from '../../src/snapshot/snapshot.ts';
import { type Call, FakeApi } from './fake-api.ts';

const patience = new AbortController().signal;
const data: ObjectRef = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };

function lookingUp(answer: (call: Call) => JsonObject | Error | Promise<JsonObject>) {
  const api = new FakeApi(answer);
  const counts: string[] = [];
  const lookUp = liveLookup({ connection: api, counted: (source, result) => counts.push(`${source} ${result}`) });
  return { api, counts, lookUp };
}

test('a live look-up reads each object where the API serves it', async () => {
  const { api, lookUp } = lookingUp(({ path }) => ({ metadata: { name: path }, spec: { accessModes: [] } }));
  const cluster = (kind: ObjectRef['kind'], name: string): ObjectRef => ({ kind, namespace: '', name });
  const found = await lookUp(
    [
      data,
      cluster('PersistentVolume', 'pv1'),
      cluster('StorageClass', 'fast'),
      cluster('CSIDriver', 'ebs.csi.aws.com'),
      cluster('Namespace', 'shop'),
      { kind: 'Deployment', namespace: 'shop', name: 'web/../..' },
    ],
    patience,
  );
  const paths = [
    '/api/v1/namespaces/shop/persistentvolumeclaims/data',
    '/api/v1/persistentvolumes/pv1',
    '/apis/storage.k8s.io/v1/storageclasses/fast',
    '/apis/storage.k8s.io/v1/csidrivers/ebs.csi.aws.com',
    '/api/v1/namespaces/shop',
    '/apis/apps/v1/namespaces/shop/deployments/web%2F..%2F..',
  ];
  assert.deepEqual(
    api.gets.map(({ path }) => path),
    paths,
  );
  assert.deepEqual(
    found.map(({ kind }) => kind),
    ['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'CSIDriver', 'Namespace', 'Deployment'],
  );
  assert.ok(found.every((object) => object.found.known && object.found.value !== undefined));
});

test('a live look-up asks for all at the same time, and for each once', async () => {
  const answers = Promise.withResolvers<JsonObject>();
  const { api, counts, lookUp } = lookingUp(() => answers.promise);
  const looking = lookUp([data, { ...data, name: 'other' }, data], patience);
  assert.equal(api.gets.length, 2);
  answers.resolve({});
  assert.equal((await looking).length, 2);
  assert.deepEqual(counts, ['live found', 'live found']);
});

test('a live look-up brings a Deployment without volumes too', async () => {
  const { lookUp } = lookingUp(() => ({ metadata: { namespace: 'shop', name: 'web' } }));
  const [web] = await lookUp([{ kind: 'Deployment', namespace: 'shop', name: 'web' }], patience);
  assert.equal(web?.kind === 'Deployment' && web.found.known && web.found.value?.metadata.name, 'web');
});

test('a live look-up knows that an object does not exist', async () => {
  const { counts, lookUp } = lookingUp(() => new ApiError('GET', 404, 'not found'));
  assert.deepEqual(await lookUp([data], patience), [{ ...data, found: { known: true, value: undefined } }]);
  assert.deepEqual(counts, ['live absent']);
});

for (const [what, answer, because] of [
  ['is refused', new ApiError('GET', 403, 'no'), 'PersistentVolumeClaim shop/data may not be read: permission missing'],
  ['fails', new ApiError('GET', 500, 'no'), 'PersistentVolumeClaim shop/data could not be read (HTTP_500)'],
  ['breaks off', new Error('socket hang up'), 'PersistentVolumeClaim shop/data could not be read (UNEXPECTED)'],
  [
    'brings nonsense',
    { spec: { accessModes: 'all' } },
    'PersistentVolumeClaim shop/data could not be read (UNREADABLE_OBJECT)',
  ],
] as const) {
  test(`a live look-up that ${what} is unknown, and the others are not`, async () => {
    const { counts, lookUp } = lookingUp(({ path }) => (path.endsWith('/data') ? answer : {}));
    const [first, second] = await lookUp([data, { ...data, name: 'other' }], patience);
    assert.deepEqual(first?.found, { known: false, because });
    assert.equal(second?.found.known, true);
    assert.deepEqual(counts.toSorted(), ['live found', 'live unknown']);
  });
}

test('a live look-up ends with its deadline, and what it has not read is unknown', async () => {
  const deadline = new AbortController();
  const { lookUp } = lookingUp(
    () =>
      new Promise<JsonObject>((_resolve, reject) => {
        deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason));
      }),
  );
  const looking = lookUp([data], deadline.signal);
  deadline.abort();
  assert.deepEqual((await looking)[0]?.found, {
    known: false,
    because: 'PersistentVolumeClaim shop/data was not read in time',
  });
});
