import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import {
  APART,
  byZone,
  type Described,
  disk,
  ELSEWHERE,
  foretold,
  HOST,
  heldTo,
  JOB,
  NO_NODE,
  PORT,
  REQUIRED,
  SELF,
  TOO_FEW,
  ZONE,
} from './scene.ts';

/** The disk of the claim `data`, which nodes with this label alone can use. */
function pinned(key: string, value: string): readonly JsonObject[] {
  const [volume, claim] = disk('data');
  const matchExpressions = [{ key, operator: 'In', values: [value] }];
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
  return [{ ...volume, spec: { ...Object(volume?.spec), nodeAffinity } }, claim ?? {}];
}

const TWO = { replicas: 2 };
const PINNED = { ...NO_NODE, claims: ['data'] };

function steady(described: Described, objects: readonly JsonObject[], nodes = ['a1', 'a2', 'b1']) {
  return foretold({ spec: TWO, ...described }, { objects, nodes }).certain.steady.reasons;
}

test('of replicas that keep apart the volume is at fault where it leaves them one place of several', () => {
  for (const pod of [APART, PORT]) {
    assert.deepEqual(steady({ pod }, pinned(HOST, 'a1')), [PINNED]);
    assert.deepEqual(steady({ pod }, pinned(HOST, 'a1'), ['a1']), [NO_NODE]);
  }
  assert.deepEqual(steady({ pod: byZone('podAntiAffinity') }, pinned(ZONE, 'a')), [PINNED]);
});

test('where it leaves them several places, but too few, a node is wanting', () => {
  assert.deepEqual(steady({ pod: APART, spec: { replicas: 3 } }, pinned(ZONE, 'a')), [TOO_FEW, ELSEWHERE]);
});

test('a volume that can be used anywhere is not at fault, and is not named beside one that is', () => {
  const claims = ['more', 'data'];
  assert.deepEqual(steady({ pod: APART, claims }, pinned(HOST, 'a1')), [PINNED]);
  assert.deepEqual(steady({ pod: { ...APART, nodeSelector: { [HOST]: 'a1' } } }, []), [NO_NODE]);
});

test('a volume by zone labels is at fault as one by node affinity is', () => {
  const [volume, claim] = disk('data');
  const labelled = { ...volume, metadata: { name: 'data', labels: { [ZONE]: 'b' } } };
  assert.deepEqual(steady({ pod: APART }, [labelled, claim ?? {}]), [PINNED]);
});

test('a volume to come is at fault as one that is there', () => {
  const metadata = { namespace: 'shop', name: 'data' };
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'local' };
  const objects = [
    { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'local' }, provisioner: 'topolvm.io' },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec },
  ];
  assert.deepEqual(steady({ pod: APART }, objects), [PINNED]);
});

test('of two reasons to keep apart one that leaves a single place is enough', () => {
  assert.deepEqual(steady({ pod: { ...PORT, ...byZone('podAntiAffinity') } }, [], ['a1', 'a2']), [NO_NODE]);
});

test('where old pods are known to be in all zones, a new one never gets so far as its volume', () => {
  const pods: Described = { pod: byZone('podAntiAffinity'), spec: TWO };
  const around = { nodes: ['a1', 'a2', 'b1', 'b2'], places: ['a1', 'b1'], before: { ...pods, claims: [] } };
  const { rollout } = foretold(pods, around).certain;
  assert.deepEqual(rollout.reasons, [TOO_FEW]);
});

test('a run that replaces another comes beside its pods where affinity asks for that, and its volume stays', () => {
  const run = (pod: JsonObject) =>
    foretold({ kind: 'CronJob', spec: { concurrencyPolicy: 'Replace' }, pod }).certain.steady.multiAttach;
  assert.equal(run({}), true);
  assert.equal(run(heldTo('web')), false);
  assert.equal(run({ affinity: { ...Object(heldTo('web').affinity), ...APART.affinity } }), true);
});

test('pods that keep apart by a label that no node has keep nobody apart', () => {
  const apart = { affinity: { podAntiAffinity: { [REQUIRED]: [{ ...SELF, topologyKey: 'example.com/rack' }] } } };
  assert.deepEqual(steady({ pod: apart }, []), [ELSEWHERE]);
});

test('two workloads that are held to each other both wait where none runs, unless each may be the first', () => {
  const shared = (pod: JsonObject, other: JsonObject, places?: readonly string[]) =>
    foretold({ pod }, { others: [{ ...JOB, pod: other }], ...(places && { places }) }).certain.shared.map(
      ({ reasons }) => reasons,
    );
  assert.deepEqual(shared(heldTo('backup'), heldTo('web')), [[PINNED]]);
  assert.deepEqual(shared(heldTo('backup'), {}), []);
  assert.deepEqual(shared(heldTo('backup'), heldTo('web'), ['a1']), []);
  const either = { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'backup'] }] };
  const toEither = { affinity: { podAffinity: { [REQUIRED]: [{ topologyKey: HOST, labelSelector: either }] } } };
  assert.deepEqual(shared(toEither, toEither), []);
  assert.deepEqual(shared(heldTo('backup'), toEither), []);
});

test('a paused Deployment starts more of what runs, on the nodes that are left to that', () => {
  const before: Described = { pod: { nodeSelector: { [HOST]: 'a1' } } };
  const paused: Described = { spec: { ...TWO, paused: true } };
  const stuck = (wanted: Described, from: Described) => foretold(wanted, { before: from }).certain.rollout.stuck;
  assert.equal(stuck(paused, before), false);
  assert.equal(stuck(paused, {}), true);
  assert.equal(stuck({ ...before, ...paused }, {}), true);
  assert.equal(stuck({ spec: TWO }, before), true);
  assert.equal(stuck({ spec: { paused: true } }, {}), false);
});
