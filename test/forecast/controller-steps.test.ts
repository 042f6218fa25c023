import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronJob } from '../../src/forecast/controllers/cron-job.ts';
import { type DaemonRollout, daemonSet } from '../../src/forecast/controllers/daemon-set.ts';
import { deployment } from '../../src/forecast/controllers/deployment.ts';
import { replicaSet } from '../../src/forecast/controllers/replica-set.ts';
import { type StatefulRollout, statefulSet } from '../../src/forecast/controllers/stateful-set.ts';
import {
  classOf,
  emptyState,
  nodeOf,
  phaseOf,
  podCode,
  READY,
  STARTING,
  type State,
  TERMINATING,
  WAITING,
  withPod,
} from '../../src/forecast/state.ts';
import { smallWorld } from './small-cluster.ts';

const PHASES = { waits: WAITING, starts: STARTING, runs: READY, goes: TERMINATING };

/** A pod in words, its class with its phase and its node: `0 runs 1`. */
type Words = `${number} waits` | `${number} ${'starts' | 'runs' | 'goes'} ${number}`;

const { cluster } = smallWorld({ nodes: { a: {}, b: {} }, pod: { containers: [] } }).world;
const [old, made] = [0, 1];

function stateOf(...pods: readonly Words[]): State {
  let state = emptyState(cluster.volumes.length);
  for (const pod of pods) {
    const [podClass, phase = 'waits', node = -1] = pod.split(' ');
    state = withPod(state, 0, podCode(Number(podClass), PHASES[phase as keyof typeof PHASES], Number(node)));
  }
  return state;
}

/** Each state in words, in the order of their pods. */
function inWords(states: readonly State[]): readonly string[] {
  const names = Object.keys(PHASES);
  const pod = (code: number) => `${classOf(code)} ${names[phaseOf(code)]}${nodeOf(code) < 0 ? '' : ` ${nodeOf(code)}`}`;
  return states.map((state) => state.map(pod).join(', '));
}

const rolling = (replicas: number, maxUnavailable: number) =>
  deployment(cluster, { from: [old], to: made, replicas, fenceposts: { maxSurge: 1, maxUnavailable } });

test('of a Deployment the old pods that are not ready go first', () => {
  const state = stateOf('0 runs 0', '0 starts 1', '1 runs 0');
  assert.deepEqual(inWords(rolling(2, 0).end(state)), ['0 runs 0, 0 goes 1, 1 runs 0']);
});

test('a Deployment ends nobody while that would leave fewer than have to be ready', () => {
  assert.deepEqual(rolling(2, 0).end(stateOf('0 runs 0', '0 runs 1', '1 starts 0')), []);
});

test('where one pod of a Deployment may go, it is of the node that has the most of its pods', () => {
  const state = stateOf('0 runs 0', '0 runs 1', '1 runs 1');
  assert.deepEqual(inWords(rolling(2, 0).end(state)), ['0 runs 0, 0 goes 1, 1 runs 1']);
});

test('pods of others, and those that go, do not count among the pods of a node', () => {
  const first = stateOf('0 runs 0', '0 runs 1', '1 runs 1', '2 runs 0', '2 runs 0', '2 runs 0');
  assert.deepEqual(inWords(rolling(2, 0).end(first)), ['0 runs 0, 0 goes 1, 1 runs 1, 2 runs 0, 2 runs 0, 2 runs 0']);
  const second = stateOf('0 runs 0', '0 goes 0', '0 goes 0', '0 runs 1', '1 runs 1');
  assert.deepEqual(inWords(rolling(2, 0).end(second)), ['0 runs 0, 0 goes 0, 0 goes 0, 0 goes 1, 1 runs 1']);
});

test('where several pods of a Deployment may go, each of them may be the first', () => {
  const state = stateOf('0 runs 0', '0 runs 0', '0 runs 1', '1 runs 1', '1 runs 1');
  const either = rolling(3, 1).end(state);
  assert.deepEqual(inWords(either), [
    '0 runs 0, 0 runs 1, 0 goes 0, 1 runs 1, 1 runs 1',
    '0 runs 0, 0 runs 0, 0 goes 1, 1 runs 1, 1 runs 1',
  ]);
});

test('a pod that has no node goes at once', () => {
  const recreate = deployment(cluster, { from: [old], to: made, replicas: 2, fenceposts: undefined });
  assert.deepEqual(inWords(recreate.end(stateOf('0 waits', '0 runs 1'))), ['0 goes 1']);
});

/** A DaemonSet of two nodes: classes 0 and 1 are its old pods, by node, 2 and 3 the new ones. */
function daemons(more: Partial<DaemonRollout> = {}) {
  const all = [true, true];
  return daemonSet(cluster, { from: [0, 1], to: [2, 3], runs: all, keeps: all, surges: false, ...more });
}

test('a DaemonSet makes the new pod of a node when the old one has gone, or beside it where it surges', () => {
  const state = stateOf('0 goes 0', '1 runs 1');
  assert.deepEqual(daemons().create(state), []);
  assert.deepEqual(inWords(daemons({ surges: true }).create(state)), ['0 goes 0, 1 runs 1, 2 waits']);
});

test('a DaemonSet ends the next pod when none is missing', () => {
  assert.deepEqual(daemons().end(stateOf('1 runs 1')), []);
  assert.deepEqual(daemons().end(stateOf('2 starts 0', '1 runs 1')), []);
  assert.deepEqual(daemons().end(stateOf('0 goes 0', '1 runs 1')), []);
  assert.deepEqual(inWords(daemons().end(stateOf('2 runs 0', '1 runs 1'))), ['1 goes 1, 2 runs 0']);
});

test('a DaemonSet may begin with any of its pods', () => {
  const state = stateOf('0 runs 0', '1 runs 1');
  assert.deepEqual(inWords(daemons().end(state)), ['0 goes 0, 1 runs 1', '0 runs 0, 1 goes 1']);
});

test('a DaemonSet ends a pod that is not ready, however many are missing', () => {
  assert.deepEqual(inWords(daemons().end(stateOf('1 starts 1'))), ['1 goes 1']);
});

test('a DaemonSet that surges ends the old pod of a node when the new one is ready', () => {
  const surging = daemons({ surges: true });
  assert.deepEqual(surging.end(stateOf('0 runs 0', '2 starts 0', '1 runs 1')), []);
  assert.deepEqual(inWords(surging.end(stateOf('0 runs 0', '2 runs 0', '1 runs 1'))), ['0 goes 0, 1 runs 1, 2 runs 0']);
});

test('a DaemonSet misses no pod of a node that is not for it, and ends what may not stay there', () => {
  const onOne = { runs: [false, true], keeps: [false, true] };
  assert.deepEqual(daemons(onOne).create(stateOf('1 runs 1')), []);
  assert.deepEqual(inWords(daemons(onOne).end(stateOf('1 runs 1'))), ['1 goes 1']);
  assert.deepEqual(inWords(daemons(onOne).end(stateOf('0 runs 0', '1 runs 1'))), ['0 goes 0, 1 runs 1']);
  const staying = daemons({ ...onOne, keeps: [true, true] });
  assert.deepEqual(inWords(staying.end(stateOf('0 runs 0', '1 runs 1'))), ['0 runs 0, 1 goes 1']);
});

/** A StatefulSet of two pods: classes 0 and 1 are the old ones, by ordinal, 2 and 3 the new ones. */
function ordered(more: Partial<StatefulRollout> = {}, isOwn: readonly number[] = []) {
  const classes = Array.from({ length: 8 }, (_, index) => ({
    ...cluster.classes[0],
    index,
    isOwn: isOwn.includes(index),
  }));
  const asked = { from: [0, 1], to: [2, 3], older: [], partition: 0, parallel: false, ...more };
  return statefulSet({ ...cluster, classes } as typeof cluster, asked);
}

test('a StatefulSet makes a pod when all before it are ready, and in parallel at once', () => {
  assert.deepEqual(ordered().create(stateOf('2 starts 0')), []);
  assert.deepEqual(inWords(ordered().create(stateOf('2 runs 0'))), ['2 runs 0, 3 waits']);
  assert.deepEqual(inWords(ordered({ parallel: true }).create(stateOf('2 starts 0'))), ['2 starts 0, 3 waits']);
});

test('a pod of a StatefulSet that is missing comes as it was below the partition', () => {
  assert.deepEqual(inWords(ordered({ partition: 1 }).create(stateOf())), ['0 waits']);
  assert.deepEqual(inWords(ordered({ partition: 1 }).create(stateOf('0 runs 0'))), ['0 runs 0, 3 waits']);
});

test('a StatefulSet replaces the pods from the last to the partition', () => {
  assert.deepEqual(inWords(ordered().end(stateOf('0 runs 0', '1 runs 1'))), ['0 runs 0, 1 goes 1']);
  assert.deepEqual(inWords(ordered().end(stateOf('0 runs 0', '3 runs 1'))), ['0 goes 0, 3 runs 1']);
  assert.deepEqual(ordered({ partition: 1 }).end(stateOf('0 runs 0', '3 runs 1')), []);
  assert.deepEqual(ordered({ parallel: true }).end(stateOf('0 runs 0', '3 starts 1')), []);
});

test('a pod that an update which hangs has left is the one of its number', () => {
  const hanging = ordered({ older: [4, 5] });
  assert.deepEqual(hanging.create(stateOf('4 runs 0', '5 runs 1')), []);
  assert.deepEqual(inWords(hanging.end(stateOf('4 runs 0', '5 runs 1'))), ['4 runs 0, 5 goes 1']);
});

test('a StatefulSet that is scaled down ends one pod after the other, and in parallel all at once', () => {
  const state = stateOf('2 runs 0', '3 runs 1', '6 runs 0', '7 runs 1');
  assert.deepEqual(inWords(ordered({}, [6, 7]).end(state)), ['2 runs 0, 3 runs 1, 6 runs 0, 7 goes 1']);
  const begun = stateOf('2 runs 0', '3 runs 1', '6 runs 0', '7 goes 1');
  assert.deepEqual(ordered({}, [6, 7]).end(begun), []);
  assert.deepEqual(inWords(ordered({ parallel: true }, [6, 7]).end(state)), ['2 runs 0, 3 runs 1, 6 goes 0, 7 goes 1']);
});

test('the last run of a CronJob is told to go by the next one only where that replaces it', () => {
  const next = replicaSet(cluster, new Map([[made, 1]]));
  const state = stateOf('0 runs 0', '0 goes 1', '2 runs 1');
  const run = (concurrencyPolicy: 'Allow' | 'Replace') => cronJob(cluster, { pods: [old], concurrencyPolicy }, next);
  assert.deepEqual(run('Allow').end(state), []);
  assert.deepEqual(inWords(run('Replace').end(state)), ['0 goes 0, 0 goes 1, 2 runs 1']);
});
