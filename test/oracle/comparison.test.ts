import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cause } from '../../src/forecast/reasons.ts';
import { compare } from './comparison.ts';
import type { Plan } from './plan.ts';
import type { Situation } from './situation.ts';

const plan = (...traits: readonly string[]): Plan => ({
  ...{
    id: '1-1',
    kind: 'Deployment',
    action: 'update',
    nodes: 2,
    replicas: 1,
    from: 1,
    strategy: '2/1',
    storage: 'csi',
  },
  traits: traits.map((trait) => ({ trait, variant: 'any' })) as unknown as Plan['traits'],
});

const situation: Situation = {
  ...{ action: 'update', objects: [], running: undefined, wanted: {}, nodesChanged: false, places: [] },
};

const foretold = (stuck: boolean, causes: readonly Cause[]) => {
  const said = { stuck, multiAttach: false };
  return { ...said, reasons: [], causes, open: [], atAdmission: said };
};

const observed = (stuck: boolean, reasons: readonly string[] = []) => ({
  stuck,
  multiAttach: false,
  reasons,
  places: [],
});

const ALONE = "web-1 is not scheduled: 1 node(s) didn't match pod affinity rules";

test('pods that wait for ever have to do so for a cause that is foretold', () => {
  const stuck = observed(true, [ALONE]);
  assert.deepEqual(compare(plan(), situation, foretold(true, ['others-elsewhere']), stuck), []);
  assert.deepEqual(compare(plan(), situation, foretold(true, ['one-pod']), stuck), ['cause']);
});

test('what is foretold has to happen, and what happens has to be foretold', () => {
  assert.deepEqual(compare(plan(), situation, foretold(true, ['one-pod']), observed(false)), ['stuck']);
  assert.deepEqual(compare(plan(), situation, foretold(false, []), observed(true)), ['stuck', 'missed at admission']);
});

test('only a pod that waits for a spread and for others may be tried in time', () => {
  const inTime = observed(false);
  assert.deepEqual(compare(plan('spread'), situation, foretold(true, ['others-elsewhere']), inTime), []);
  assert.deepEqual(compare(plan('host-port'), situation, foretold(true, ['others-elsewhere']), inTime), ['stuck']);
  assert.deepEqual(compare(plan('spread'), situation, foretold(true, ['no-node-left']), inTime), ['stuck']);
});
