import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { othersOf } from '../../src/forecast/other-pods.ts';
import { worldOf } from '../../src/forecast/world.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { HOST, REQUIRED } from './scene.ts';

const APART = {
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  affinity: {
    podAntiAffinity: { [REQUIRED]: [{ labelSelector: { matchLabels: { tier: 'busy' } }, topologyKey: HOST }] },
  },
};

/** How many classes two other workloads come to that its pods keep off. */
function classesOf(one: JsonObject, other: JsonObject): number {
  const state = new ClusterState();
  const pods = (labels: JsonObject, spec: JsonObject) => ({ metadata: { labels: { tier: 'busy', ...labels } }, spec });
  putObject(state, deployment('one', pods({ app: 'one' }, one)));
  putObject(state, deployment('other', pods({ app: 'other' }, other)));
  const web = deployment('web', { metadata: { labels: { app: 'web' } }, spec: APART });
  const { facts } = gatherFacts(workloadFrom('Deployment', web), state, storageMatrix(), new Budget());
  const world = worldOf({
    own: [{ facts, revision: 'new', ordinals: undefined, countsCordons: false, areThere: false }],
    others: othersOf([facts]),
    places: undefined,
    mostPods: 4,
    assumption: 'harmless',
    budget: facts.budget,
  });
  assert.equal(world?.others.length, 2);
  return new Set(world.others).size;
}

function deployment(name: string, template: JsonObject): JsonObject {
  const metadata = { namespace: 'shop', name };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2, template } };
}

test('pods of others that only a label tells apart for which nobody asks are alike', () => {
  assert.equal(classesOf({}, {}), 1);
});

test('pods of others that ask for other nodes are not alike', () => {
  assert.equal(classesOf({}, { nodeSelector: { pool: 'b' } }), 2);
});
