import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { causes, forecastOf, HOST, REQUIRED, SELF, type Surroundings, TOGETHER, ZONE } from './scene.ts';

/** A workload of the same labels that has nothing to do with the volume, unless something is said of its pods. */
function other(pod: JsonObject = {}, { namespace = 'shop', replicas = 1, app = 'web' } = {}): JsonObject {
  const template = { metadata: { labels: { app } }, spec: { nodeSelector: { pool: 'b' }, ...pod } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name: 'other' },
    spec: { replicas, template },
  };
}

const namespaced = (more: JsonObject): JsonObject => ({
  affinity: { podAffinity: { [REQUIRED]: [{ ...SELF, ...more }] } },
});

function waitsBeside(
  objects: readonly JsonObject[],
  more: Surroundings & { pod?: JsonObject; places?: string[] } = {},
) {
  const { pod = TOGETHER, places, ...surroundings } = more;
  const found = forecastOf({ pod }, { ...surroundings, objects }, undefined, places && new Set(places));
  return causes(found).includes('volume-elsewhere');
}

test('affinity that means the pods of another workload too leads a new pod to those', () => {
  assert.equal(waitsBeside([]), false);
  assert.equal(waitsBeside([other()]), true);
});

test('pods of another label, or of a workload that runs none, lead nobody away', () => {
  assert.equal(waitsBeside([other({}, { app: 'db' })]), false);
  assert.equal(waitsBeside([other({}, { replicas: 0 })]), false);
});

test('affinity to pods of the same revision means none of another workload', () => {
  const split = (more: JsonObject): boolean => {
    const pods = { pod: namespaced(more), replicas: 2, spec: { strategy: { type: 'Recreate' } } };
    return forecastOf(pods, { objects: [other()] }).certain.steady.stuck;
  };
  assert.equal(split({}), true);
  assert.equal(split({ matchLabelKeys: ['pod-template-hash'] }), false);
});

test('pods on nodes where ours may not be, or where ours are, lead nobody away', () => {
  assert.equal(waitsBeside([other()], { pod: { ...TOGETHER, nodeSelector: { pool: 'a' } } }), false);
  assert.equal(waitsBeside([other()], { places: ['b1'] }), false);
  assert.equal(waitsBeside([other()], { places: ['a1'] }), true);
});

test('pods on a node that is cordoned today lead nobody away today', () => {
  const metadata = { name: 'b1', labels: { [HOST]: 'b1', pool: 'b' } };
  const cordoned = { apiVersion: 'v1', kind: 'Node', metadata, spec: { unschedulable: true } };
  assert.equal(waitsBeside([other(), cordoned], { places: ['a1'] }), false);
  assert.equal(waitsBeside([other(), cordoned]), true);
});

test('pods that are held to ours lead nobody away, nor do those that hold our volume', () => {
  assert.equal(waitsBeside([other(TOGETHER)]), false);
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  assert.equal(waitsBeside([other({ volumes })]), false);
  assert.equal(
    waitsBeside([other({ volumes }, { namespace: 'stage' })], { pod: namespaced({ namespaces: ['shop', 'stage'] }) }),
    true,
  );
});

test('what holds our volume is where that is, also where only a zone holds pods together', () => {
  const around = { pod: namespaced({ topologyKey: ZONE }), places: ['ax1'], nodes: ['ax1', 'by1', 'by2'] };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  assert.equal(waitsBeside([other({ nodeSelector: {} })], around), true);
  assert.equal(waitsBeside([other({ nodeSelector: {}, volumes })], around), false);
});

test('a workload of another kind is another one, whatever its name', () => {
  const metadata = { namespace: 'shop', name: 'web' };
  assert.equal(waitsBeside([{ ...other(), metadata }]), false);
  assert.equal(waitsBeside([{ ...other(), metadata, kind: 'StatefulSet' }]), true);
});

test('pods on nodes that are not listed may lead away, in the worst case only', () => {
  const rollouts = (objects: readonly JsonObject[]) => {
    const { certain, possible } = forecastOf({ pod: TOGETHER }, { unsynced: 'nodes', objects });
    return [certain, ...possible].map(({ rollout }) => rollout.stuck);
  };
  assert.deepEqual(rollouts([]), [false, false, false]);
  assert.deepEqual(rollouts([other()]), [false, true, true]);
});

test('pods of another namespace lead away where the term names it or selects all', () => {
  const elsewhere = [other({}, { namespace: 'stage' })];
  assert.equal(waitsBeside(elsewhere), false);
  assert.equal(waitsBeside(elsewhere, { pod: namespaced({ namespaces: ['shop', 'stage'] }) }), true);
  assert.equal(waitsBeside(elsewhere, { pod: namespaced({ namespaceSelector: {} }) }), true);
});

test('where workloads are not listed yet, or are very many, it is open whom the affinity means', () => {
  const unsynced = forecastOf({ pod: TOGETHER }, { unsynced: 'jobs' });
  assert.deepEqual(unsynced.certain.rollout.reasons, []);
  assert.ok(unsynced.open.includes('jobs are not listed yet'));
  const crowd = Array.from({ length: 1_001 }, (_, index) => {
    const { metadata, ...rest } = other();
    return { ...rest, metadata: { ...(metadata as JsonObject), name: `other-${index}` } };
  });
  assert.deepEqual(forecastOf({ pod: TOGETHER }, { objects: crowd }).open, ['more than 1000 workloads may be meant']);
  assert.deepEqual(forecastOf({ pod: TOGETHER }, { objects: crowd.slice(1) }).open, []);
  assert.deepEqual(forecastOf({}, { objects: crowd }).open, []);
});

test('a topology of zones leads away as the hostname does', () => {
  const zone = namespaced({ topologyKey: ZONE });
  const nodes = ['ax1', 'by1'];
  assert.equal(waitsBeside([], { pod: zone, nodes }), false);
  assert.equal(waitsBeside([other()], { pod: zone, nodes }), true);
});
