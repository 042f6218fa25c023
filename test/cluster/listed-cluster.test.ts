import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/cluster/api-error.ts';
import { type Listed, listKinds, type ScannedKind } from '../../src/cluster/listed-cluster.ts';
import { type JsonObject, UnreadableObjectError } from '../../src/objects/json.ts';
import { type Call, FakeApi, FakeTime, object, page } from './fake-api.ts';

interface Reading {
  readonly kinds?: readonly ScannedKind[];
  readonly namespace?: string;
  readonly answer: (call: Call) => JsonObject | Error;
  readonly signal?: AbortSignal;
}

interface Read extends Listed {
  readonly taken: readonly string[];
  readonly calls: readonly Call[];
  readonly slept: readonly number[];
}

/** Reads Deployments, or what is named; an object called `broken` cannot be read. */
async function read({ kinds = ['Deployment'], namespace, answer, signal }: Reading): Promise<Read> {
  const api = new FakeApi(answer);
  const time = new FakeTime();
  let taken: string[] = [];
  const listed = await listKinds(kinds, {
    ...{ connection: api, namespace, time, signal: signal ?? new AbortController().signal },
    take(kind, { metadata }) {
      const { name } = metadata as { name: string };
      if (name === 'broken') throw new UnreadableObjectError('spec', 'an object', 4);
      taken.push(`${kind} ${name}`);
    },
    forget(kind) {
      taken = taken.filter((one) => !one.startsWith(`${kind} `));
    },
  });
  return { ...listed, taken, calls: api.lists, slept: time.slept };
}

const refused = (call: Call, status = 403): ApiError => new ApiError(call.path, status, 'no');

test('a list is read page by page to its end', async () => {
  const { taken, missing, calls } = await read({
    answer: ({ query }) => (query.continue === 'more' ? page([object('b')], '2') : page([object('a')], '2', 'more')),
  });
  assert.deepEqual([taken, missing], [['Deployment a', 'Deployment b'], []]);
  assert.deepEqual(
    calls.map(({ query }) => query),
    [{ limit: '250' }, { limit: '250', continue: 'more' }],
  );
});

test('pods that have ended are not asked for, and attachments are those of the cluster', async () => {
  const { calls } = await read({ kinds: ['Pod', 'VolumeAttachment'], answer: () => page([], '1') });
  assert.deepEqual(
    calls.map(({ path, query }) => `${path} ${query.fieldSelector ?? ''}`),
    ['/api/v1/pods status.phase!=Succeeded,status.phase!=Failed', '/apis/storage.k8s.io/v1/volumeattachments '],
  );
});

test('what may not be listed is told with the permission that is missing', async () => {
  const { missing, taken } = await read({
    kinds: ['Deployment', 'Job'],
    answer: (call) => (call.path.endsWith('/jobs') ? page([object('a')], '1') : refused(call)),
  });
  assert.deepEqual(missing, [{ list: 'deployments', because: 'permission missing (list)', isInNamespace: false }]);
  assert.deepEqual(taken, ['Job a']);
});

test('what may not be listed in all namespaces is listed in the one that is asked for', async () => {
  const { missing, taken, calls } = await read({
    kinds: ['Deployment', 'Node'],
    namespace: 'shop',
    answer: (call) => (call.path.includes('/namespaces/shop/') ? page([object('a')], '1') : refused(call)),
  });
  assert.deepEqual(taken, ['Deployment a']);
  assert.deepEqual(
    missing.map(({ list, isInNamespace }) => [list, isInNamespace]),
    [
      ['deployments', true],
      ['nodes', false],
    ],
  );
  assert.deepEqual(calls.map(({ path }) => path).sort(), [
    '/api/v1/nodes',
    '/apis/apps/v1/deployments',
    '/apis/apps/v1/namespaces/shop/deployments',
  ]);
});

test('what may not be listed in that namespace either is missing', async () => {
  const { missing } = await read({ namespace: 'shop', answer: refused });
  assert.deepEqual(
    missing.map(({ isInNamespace }) => isInNamespace),
    [false],
  );
});

test('what an API server does not serve is no matter of permission, and not asked for again', async () => {
  const { missing, calls } = await read({ namespace: 'shop', answer: (call) => refused(call, 404) });
  assert.deepEqual(
    missing.map(({ because }) => because),
    ['this API server does not serve it'],
  );
  assert.equal(calls.length, 1);
});

test('a list that the API server forgets half way begins again, and nothing of it counts twice', async () => {
  let forgotten = false;
  const { taken } = await read({
    answer(call) {
      if (call.query.continue === undefined) return page([object('a'), object('broken')], '1', 'more');
      if (forgotten) return page([object('b')], '1');
      forgotten = true;
      return refused(call, 410);
    },
  });
  assert.deepEqual(taken, ['Deployment a', 'Deployment b']);
});

test('an API server that is busy is asked again after the time that it names, which has an end', async () => {
  let asked = 0;
  const busy = (retryAfterMs: number) => (call: Call) =>
    ++asked === 1 ? new ApiError(call.path, 429, 'busy', retryAfterMs) : page([object('a')], '1');
  for (const [asks, waits] of [
    [2_000, 2_000],
    [3_600_000, 10_000],
  ] as const) {
    asked = 0;
    const { taken, slept } = await read({ answer: busy(asks) });
    assert.deepEqual([taken, slept], [['Deployment a'], [waits]]);
  }
});

for (const [what, status, retryAfterMs] of [
  ['forgets every list', 410, undefined],
  ['stays busy', 429, 1_000],
] as const) {
  test(`an API server that ${what} is not asked for ever`, async () => {
    let asked = 0;
    const answer = ({ path }: Call) => {
      asked++;
      return new ApiError(path, status, 'no', retryAfterMs);
    };
    await assert.rejects(read({ answer }), { status });
    assert.equal(asked, 4);
  });
}

test('an answer that is neither a list nor a refusal ends the reading', async () => {
  await assert.rejects(read({ answer: (call) => refused(call, 401) }), { status: 401 });
});

test('an object that cannot be read is told of, and the others are taken', async () => {
  const broken = { metadata: { namespace: 'shop', name: 'broken' } };
  const { taken, unreadable } = await read({ answer: () => page([object('a'), broken, object('b')], '1') });
  assert.deepEqual(taken, ['Deployment a', 'Deployment b']);
  assert.deepEqual(unreadable, [
    { kind: 'Deployment', name: 'shop/broken', because: 'spec must be an object, not 4: correct the manifest' },
  ]);
});

test('reading ends as soon as it is called off', async () => {
  const stop = new AbortController();
  const reading = read({
    signal: stop.signal,
    answer() {
      stop.abort();
      return page([object('a')], '1', 'more');
    },
  });
  await assert.rejects(reading, { name: 'AbortError' });
});
