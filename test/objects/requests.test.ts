import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocatableOf, requestsOf } from '../../src/objects/requests.ts';

const asking = (cpu: string, more = {}) => ({ resources: { requests: { cpu } }, ...more });
const SIDECAR = { restartPolicy: 'Always' };

test('a pod asks for what its containers ask for together', () => {
  assert.deepEqual(requestsOf({ containers: [asking('2'), asking('500m')] }), [['cpu', 2.5]]);
});

test('a limit without a request is one', () => {
  const resources = { limits: { cpu: '4', 'nvidia.com/gpu': 1 }, requests: { cpu: '2' } };
  assert.deepEqual(Object.fromEntries(requestsOf({ containers: [{ resources }] })), { cpu: 2, 'nvidia.com/gpu': 1 });
});

test('init containers come one after the other, each beside the sidecars before it', () => {
  const containers = [asking('1')];
  const spec = { containers, initContainers: [asking('1', SIDECAR), asking('4'), asking('2', SIDECAR), asking('3')] };
  assert.deepEqual(requestsOf(spec), [['cpu', 6]]);
});

test('what the pod itself asks for counts in place of its containers', () => {
  assert.deepEqual(requestsOf({ containers: [asking('1')], resources: { requests: { cpu: '8' } } }), [['cpu', 8]]);
});

test('what cannot be read is not asked for', () => {
  assert.deepEqual(requestsOf({ containers: [asking('many')] }), []);
});

test('of a node without status nobody says what it has', () => {
  assert.equal(allocatableOf({ spec: {} }), undefined);
  assert.deepEqual(allocatableOf({ status: { allocatable: { memory: '1Ki' } } }), new Map([['memory', 1024]]));
});
