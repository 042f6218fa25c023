import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/cluster/api-error.ts';
import { listCluster } from '../../src/cluster/listed-cluster.ts';
import { type JsonObject, UnreadableObjectError } from '../../src/objects/json.ts';
import { type Call, FakeApi, page } from './fake-api.ts';

const PODS = '/api/v1/pods';
const CLAIMS = '/api/v1/persistentvolumeclaims';

function object(name: string): JsonObject {
  return { metadata: { namespace: 'shop', name } };
}

async function listed(answer: (call: Call) => JsonObject | Error, namespace?: string) {
  const api = new FakeApi(answer);
  const taken: string[] = [];
  const take = (kind: string, { metadata }: JsonObject): void => {
    const { name } = metadata as { name: string };
    if (name === 'odd') throw new UnreadableObjectError('spec', 'an object', 5);
    taken.push(`${kind} ${name}`);
  };
  const { signal } = new AbortController();
  const result = await listCluster({ connection: api, namespace, signal, take });
  return { ...result, taken, api };
}

const forbidden = new ApiError('GET', 403, 'forbidden');

test('every list is read once, page by page', async () => {
  const { taken, missing, api } = await listed(({ path, query }) => {
    if (path !== CLAIMS) return page([], '1');
    if (query.continue === undefined) return page([object('a')], '1', 'more');
    return page([object('b')], '1');
  });
  assert.deepEqual(taken, ['PersistentVolumeClaim a', 'PersistentVolumeClaim b']);
  assert.deepEqual(missing, []);
  assert.equal(new Set(api.lists.map(({ path }) => path)).size, api.lists.length - 1);
});

test('of pods those that have ended are not asked for', async () => {
  const { api } = await listed(() => page([], '1'));
  const [asked] = api.lists.filter(({ path }) => path === PODS);
  assert.equal(asked?.query.fieldSelector, 'status.phase!=Succeeded,status.phase!=Failed');
});

test('a list that is refused is told with the permission that is missing', async () => {
  const { missing } = await listed(({ path }) => (path === CLAIMS ? forbidden : page([], '1')));
  assert.deepEqual(missing, [
    {
      list: 'persistentvolumeclaims',
      because: 'permission missing (list persistentvolumeclaims)',
      isInNamespace: false,
    },
  ]);
});

test('where one namespace is asked for, it is read in there', async () => {
  const { taken, missing } = await listed(({ path }) => {
    if (path === CLAIMS || path === '/api/v1/nodes') return forbidden;
    return page(path === '/api/v1/namespaces/shop/persistentvolumeclaims' ? [object('a')] : [], '1');
  }, 'shop');
  assert.deepEqual(taken, ['PersistentVolumeClaim a']);
  assert.deepEqual(
    missing.map(({ list, isInNamespace }) => [list, isInNamespace]),
    [
      ['nodes', false],
      ['persistentvolumeclaims', true],
    ],
  );
});

test('a list that is forgotten half way is read again', async () => {
  let refusals = 1;
  const { taken } = await listed(({ path, query }) => {
    if (path !== CLAIMS) return page([], '1');
    if (query.continue === undefined) return page([object('a')], '1', 'more');
    if (refusals-- > 0) return new ApiError('GET', 410, 'expired');
    return page([object('b')], '1');
  });
  assert.deepEqual(taken.slice(-2), ['PersistentVolumeClaim a', 'PersistentVolumeClaim b']);
});

test('one that is forgotten every time is given up', async () => {
  const always = ({ path }: Call) => (path === CLAIMS ? new ApiError('GET', 410, 'expired') : page([], '1'));
  await assert.rejects(listed(always), { code: 'HTTP_410' });
});

test('an object that cannot be read is noted, and the others are taken', async () => {
  const { taken, unreadable } = await listed(({ path }) =>
    page(path === CLAIMS ? [object('odd'), object('a')] : [], '1'),
  );
  assert.deepEqual(taken, ['PersistentVolumeClaim a']);
  assert.match(unreadable[0] ?? '', /^PersistentVolumeClaim: spec must be an object/);
});

test('where the API server is away, nothing is made up', async () => {
  await assert.rejects(
    listed(() => new Error('connect ECONNREFUSED')),
    /ECONNREFUSED/,
  );
});
