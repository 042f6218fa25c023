import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/cluster/api-error.ts';
import { nodeReading } from '../../src/cluster/node-reading.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Call, FakeApi } from './fake-api.ts';

const patience = new AbortController().signal;

function reading(answer: (call: Call) => JsonObject | Error) {
  const api = new FakeApi(answer);
  const counts: string[] = [];
  return { api, counts, nodes: nodeReading({ connection: api, counted: (_, result) => counts.push(result) }) };
}

test('a node is read as it is now', async () => {
  const { api, counts, nodes } = reading(() => ({ metadata: { name: 'node-a' }, status: { volumesInUse: ['v'] } }));
  const node = await nodes.node('node-a', patience);
  assert.deepEqual(node.known && node.value?.volumesInUse, ['v']);
  assert.deepEqual(api.gets, [{ path: '/api/v1/nodes/node-a', query: {} }]);
  assert.deepEqual(counts, ['found']);
});

test('a node that is gone is known to be, and one that may not be read is not', async () => {
  const gone = reading(() => new ApiError('GET', 404, 'not found'));
  assert.deepEqual(await gone.nodes.node('node-a', patience), { known: true, value: undefined });
  const refused = reading(() => new ApiError('GET', 403, 'no'));
  assert.deepEqual(await refused.nodes.node('node-a', patience), {
    known: false,
    because: 'Node node-a may not be read: permission missing',
  });
  assert.deepEqual([gone.counts, refused.counts], [['absent'], ['unknown']]);
});

test('pods are asked for by their node, of one namespace or of all, and those that have ended are left out', async () => {
  const pod = (name: string, phase: string) => ({
    metadata: { namespace: 'shop', name },
    spec: { nodeName: 'node-a' },
    status: { phase },
  });
  const { api, nodes } = reading(() => ({ items: [pod('web-0', 'Running'), pod('web-1', 'Failed')] }));
  const pods = await nodes.podsOn('node-a', 'shop', patience);
  assert.deepEqual(pods.known && pods.value.map(({ name }) => name), ['web-0']);
  await nodes.podsOn('node-a', '', patience);
  const query = { fieldSelector: 'spec.nodeName=node-a', limit: '10' };
  assert.deepEqual(api.gets, [
    { path: '/api/v1/namespaces/shop/pods', query },
    { path: '/api/v1/pods', query },
  ]);
});

test('pods are read page by page, to the end', async () => {
  const pod = (name: string) => ({ metadata: { namespace: 'shop', name }, spec: { nodeName: 'node-a' } });
  const { nodes } = reading(({ query }) =>
    query.continue === undefined ? { metadata: { continue: 'x' }, items: [pod('one')] } : { items: [pod('other')] },
  );
  const pods = await nodes.podsOn('node-a', 'shop', patience);
  assert.deepEqual(pods.known && pods.value.map(({ name }) => name), ['one', 'other']);
});

test('of more pods than are read nobody knows what they use', async () => {
  const { api, nodes } = reading(() => ({ metadata: { continue: 'x' }, items: [] }));
  assert.deepEqual(await nodes.podsOn('node-a', 'shop', patience), {
    known: false,
    because: 'there are more than 120 pods on node-a',
  });
  assert.deepEqual([api.gets.length, api.gets.at(-1)?.query.continue], [12, 'x']);
});

test('what can be no name is not asked for', async () => {
  const { api, nodes } = reading(() => new Error('asked'));
  for (const name of ['..', 'a,spec.nodeName!=a', '']) {
    assert.deepEqual(await nodes.node(name, patience), { known: true, value: undefined });
    assert.deepEqual(await nodes.podsOn(name, 'shop', patience), { known: true, value: [] });
  }
  assert.deepEqual(api.gets, []);
});

test('after the deadline nothing is known', async () => {
  const { nodes } = reading(() => ({}));
  assert.deepEqual(await nodes.node('node-a', AbortSignal.abort()), {
    known: false,
    because: 'Node node-a was not read in time',
  });
});
