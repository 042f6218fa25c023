import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import type { WorkloadKind } from '../../src/objects/kinds.ts';
import { disk, foretold, TOGETHER } from './scene.ts';
import type { SeenOutcomes } from './seen.ts';

interface Asked {
  readonly spec?: JsonObject;
  readonly pod?: JsonObject;
  readonly accessMode?: string;
  readonly places?: readonly string[];
  readonly cordoned?: readonly string[];
}

/** A workload on three nodes whose pods share the claim `data`. */
function outcomes(kind: WorkloadKind, { spec = {}, pod = {}, accessMode, places, cordoned = [] }: Asked): SeenOutcomes {
  const around = { nodes: ['a1', 'b1', 'c1'], objects: disk('data', accessMode), places, cordoned };
  return foretold({ kind, spec, pod }, around).certain;
}

test('a pod that has gone holds nobody by affinity, so its volume may have to move', () => {
  const { rollout } = outcomes('Deployment', { spec: { strategy: { type: 'Recreate' } }, pod: TOGETHER });
  assert.deepEqual([rollout.multiAttach, rollout.stuck], [true, false]);
});

test('a ReadWriteOncePod volume may have to move too, once its pod has gone', () => {
  const { rollout } = outcomes('StatefulSet', { accessMode: 'ReadWriteOncePod' });
  assert.deepEqual([rollout.multiAttach, rollout.stuck], [true, false]);
});

test('a StatefulSet of several pods on one plain claim is stuck, one pod of it is not', () => {
  assert.equal(outcomes('StatefulSet', { spec: { replicas: 2 } }).steady.stuck, true);
  assert.equal(outcomes('StatefulSet', {}).steady.stuck, false);
});

test('a StatefulSet whose partition leaves every pod alone rolls nothing out', () => {
  const spec = { replicas: 2, updateStrategy: { rollingUpdate: { partition: 2 } } };
  assert.deepEqual(outcomes('StatefulSet', { spec }).rollout, { multiAttach: false, stuck: false, reasons: [] });
});

test('the pods of a DaemonSet cannot all have a claim for one node', () => {
  const { steady } = outcomes('DaemonSet', {});
  assert.deepEqual([steady.multiAttach, steady.stuck], [true, true]);
});

test('a DaemonSet whose pods want to be together has one that runs, and nothing is attached twice', () => {
  const { steady } = outcomes('DaemonSet', { pod: TOGETHER });
  assert.deepEqual([steady.multiAttach, steady.stuck], [false, true]);
});

test('a DaemonSet that surges waits for a claim that takes one pod', () => {
  const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  const { rollout } = outcomes('DaemonSet', { spec: { updateStrategy }, accessMode: 'ReadWriteOncePod' });
  assert.deepEqual(rollout.reasons, [{ cause: 'one-pod', claims: ['data'] }]);
});

test('a Job runs as many pods as it may at once, and those that wait do so until others have ended', () => {
  const { steady } = outcomes('Job', { spec: { parallelism: 2 } });
  assert.deepEqual([steady.multiAttach, steady.stuck], [true, false]);
  assert.equal(outcomes('Job', { spec: { parallelism: 2, completions: 1 } }).steady.multiAttach, false);
});

test('runs of a CronJob get in each other’s way unless it forbids that', () => {
  const shared = (concurrencyPolicy: string) => outcomes('CronJob', { spec: { concurrencyPolicy } }).shared;
  assert.deepEqual(shared('Allow'), [
    { user: 'its next run', reasons: [{ cause: 'volume-elsewhere', claims: ['data'] }] },
  ]);
  assert.deepEqual(shared('Forbid'), []);
});

test('two runs of a CronJob that want one host port of one node are in each other’s way without any claim', () => {
  const containers = [{ name: 'web', ports: [{ hostPort: 80 }] }];
  const { shared } = outcomes('CronJob', { pod: { containers, nodeName: 'a1' } });
  assert.deepEqual(shared, [{ user: 'its next run', reasons: [{ cause: 'no-node-left', claims: [] }] }]);
});

test('where the places of pods are known, today’s cordons count for new ones', () => {
  const rollout = (asked: Asked) => outcomes('Deployment', asked).rollout;
  assert.equal(rollout({ places: ['a1'] }).multiAttach, true);
  assert.equal(rollout({ places: ['a1'], cordoned: ['b1', 'c1'] }).stuck, false);
  const held = { pod: TOGETHER, places: ['a1'] };
  assert.equal(rollout(held).stuck, false);
  assert.deepEqual(rollout({ ...held, cordoned: ['a1'] }).reasons, [{ cause: 'no-node-left', claims: [] }]);
});

test('a claim for one pod moves once the old pod is gone, where that is not wanted any more', () => {
  const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: '100%' } };
  const { rollout } = outcomes('Deployment', { spec: { strategy }, accessMode: 'ReadWriteOncePod', places: ['a1'] });
  assert.deepEqual([rollout.multiAttach, rollout.stuck], [true, false]);
});

test('a pod with a nodeName gets past the scheduler, and its ReadWriteOncePod volume is attached elsewhere', () => {
  const { rollout } = outcomes('Deployment', {
    pod: { nodeName: 'b1' },
    accessMode: 'ReadWriteOncePod',
    places: ['a1'],
  });
  assert.deepEqual(rollout.reasons, [{ cause: 'volume-elsewhere', claims: ['data'] }]);
});

test('a paused Deployment whose pods run is scaled all the same, and rolls nothing out', () => {
  const { rollout, steady } = outcomes('Deployment', { spec: { paused: true, replicas: 2 }, places: ['a1'] });
  assert.deepEqual([steady.stuck, rollout.stuck], [true, false]);
  assert.equal(outcomes('Deployment', { spec: { paused: true, replicas: 2 } }).steady.stuck, false);
});
