import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cause } from '../../src/forecast/reasons.ts';
import { areExplained, causesBehind } from './causes.ts';

const waits = (here: string, there: string): string => `web-1 on ${here} waits for data, which web-0 holds on ${there}`;
const unscheduled = (why: string): string => `web-1 is not scheduled: 0/2 nodes are available: ${why}. preemption: …`;

for (const [reason, causes] of [
  [waits('a', 'b'), ['volume-elsewhere']],
  [waits('a', 'a'), ['one-pod']],
  ['kubelet refuses its pods: NodePorts', ['no-node-left', 'too-few-nodes', 'one-pod']],
  [unscheduled("1 node(s) didn't match pod anti-affinity rules"), ['no-node-left', 'too-few-nodes']],
  [unscheduled('1 node(s) had no available disk'), ['no-node-left', 'too-few-nodes']],
  [
    `${unscheduled('1 node(s) had no available disk')}; web-0 has its claim for one pod`,
    ['one-pod', 'no-node-left', 'too-few-nodes'],
  ],
  [unscheduled("1 node(s) didn't match pod affinity rules"), ['no-node-left', 'too-few-nodes', 'others-elsewhere']],
  [unscheduled('1 node(s) were unschedulable'), []],
] as readonly (readonly [string, readonly Cause[]])[]) {
  test(`"${reason}" is for ${causes.join(' or ') || 'no cause that is known'}`, () => {
    assert.deepEqual([...causesBehind(reason)], causes);
  });
}

test('each wait has to be for a cause that is foretold', () => {
  const reasons = [waits('a', 'b'), waits('a', 'a')];
  assert.equal(areExplained(reasons, ['volume-elsewhere']), false);
  assert.equal(areExplained(reasons, ['volume-elsewhere', 'one-pod']), true);
});

test('a disk in the way is no wait for a claim for one pod, where nobody has that', () => {
  const reason = unscheduled('1 node(s) had no available disk');
  assert.equal(areExplained([reason], ['one-pod']), false);
  assert.equal(areExplained([`${reason}; web-0 has its claim for one pod`], ['one-pod']), true);
  assert.equal(areExplained([`${reason}; web-0 has its claim for one pod`], ['volume-elsewhere']), false);
});
