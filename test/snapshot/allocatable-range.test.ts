import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resources } from '../../src/objects/requests.ts';
import { AllocatableRange } from '../../src/snapshot/allocatable-range.ts';

const [SMALL, LARGE]: readonly Resources[] = [
  new Map([['cpu', 4]]),
  new Map([
    ['cpu', 8],
    ['gpu', 1],
  ]),
];

const cases: Readonly<Record<string, readonly [nodes: readonly (Resources | undefined)[], string, number, boolean]>> = {
  'all have enough': [[SMALL, LARGE], 'cpu', 4, false],
  'some have enough': [[SMALL, LARGE], 'cpu', 5, true],
  'none has enough': [[SMALL, LARGE], 'cpu', 9, false],
  'some have it at all': [[SMALL, LARGE], 'gpu', 1, true],
  'nothing is asked for': [[SMALL, LARGE], 'gpu', 0, false],
  'none has it at all': [[SMALL, LARGE], 'disk', 1, false],
  'some do not say what they have': [[SMALL, undefined], 'cpu', 5, true],
  'none says what it has': [[undefined, undefined], 'cpu', 5, false],
};

for (const [which, [nodes, resource, amount, answer]] of Object.entries(cases)) {
  test(`where ${which}, nodes ${answer ? 'differ' : 'do not differ'} in room for a pod`, () => {
    const range = new AllocatableRange(nodes.map((allocatable) => (allocatable === undefined ? {} : { allocatable })));
    assert.equal(range.isOnSome(resource, amount), answer);
  });
}
