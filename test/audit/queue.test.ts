import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Queue } from '../../src/audit/queue.ts';
import { standingIn } from '../../src/audit/standing-objects.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { deployment, hazard } from './audited.ts';

/** A queue over workloads of these names, with a claim for each. */
function queueOf(names: readonly string[]): Queue {
  const state = new ClusterState();
  for (const object of names.flatMap((name) => hazard(name))) putObject(state, object);
  putObject(state, { ...deployment('plain'), spec: { replicas: 1, template: { spec: {} } } });
  return new Queue(standingIn(state.tables));
}

function taken(queue: Queue, most = 100): readonly string[] {
  const found: string[] = [];
  while (found.length < most) {
    const next = queue.next();
    if (next === undefined) break;
    found.push(`${next.kind} ${next.name}`);
  }
  return found;
}

const WEB = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;

test('an object is there once, and those come first that were asked for by name', () => {
  const queue = queueOf(['db', 'web']);
  queue.addWorkloads();
  queue.add(WEB);
  queue.add(WEB);
  assert.equal(queue.size, 3);
  assert.deepEqual(taken(queue), ['Deployment web', 'Deployment db', 'Deployment web']);
});

test('all workloads are those whose pods hold volumes; everything is the claims too', () => {
  const queue = queueOf(['db', 'web']);
  queue.addEverything();
  assert.deepEqual(taken(queue), [
    'Deployment db',
    'Deployment web',
    'PersistentVolumeClaim db',
    'PersistentVolumeClaim web',
  ]);
});

test('who was judged already comes last when all are asked for once more', () => {
  const queue = queueOf(['a', 'b', 'c', 'd']);
  queue.addWorkloads();
  taken(queue, 2);
  queue.addWorkloads();
  assert.equal(queue.size, 4);
  assert.deepEqual(taken(queue), ['Deployment c', 'Deployment d', 'Deployment a', 'Deployment b']);
});
