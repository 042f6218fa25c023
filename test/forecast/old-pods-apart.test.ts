import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import {
  type Around,
  byZone,
  type Described,
  disk,
  ELSEWHERE,
  foretold,
  HOST,
  heldTo,
  NO_NODE,
  REQUIRED,
  SELF,
  ZONE,
} from './scene.ts';

const TWO: JsonObject = { replicas: 2 };
const HELD: Described = { spec: TWO, pod: heldTo('web') };

/** Why new pods that are held to old ones may wait, where the old ones are as told. */
function reasons(before: Described, { spec = TWO, ...held }: Described = HELD, around: Around = {}) {
  const after = { kind: before.kind ?? 'Deployment', pod: heldTo('web'), ...held, spec };
  return foretold(after, { ...around, before }).certain.rollout.reasons;
}

test('affinity that comes with an update does not bring together old pods that are apart', () => {
  assert.deepEqual(reasons({ spec: TWO }, HELD, { places: ['a1', 'b1'] }), [ELSEWHERE]);
  assert.deepEqual(reasons({ spec: TWO }, HELD, { places: ['a1'] }), []);
});

test('where it is not known, old pods may be apart if they are several and nothing keeps them together', () => {
  assert.deepEqual(reasons({ spec: TWO }), [ELSEWHERE]);
  assert.deepEqual(reasons({ spec: TWO, pod: byZone('podAffinity') }), [ELSEWHERE]);
  assert.deepEqual(reasons({ spec: TWO, pod: heldTo('web') }), []);
  assert.deepEqual(reasons({ spec: TWO, pod: { nodeSelector: { 'kubernetes.io/hostname': 'a1' } } }), []);
  assert.deepEqual(reasons({ spec: TWO }, HELD, { nodes: ['a1'] }), []);
  assert.deepEqual(reasons({}, { spec: { replicas: 1 } }), []);
});

test('a Deployment gets its new number of old pods before it gets the first new one', () => {
  assert.deepEqual(reasons({}, HELD, { places: ['a1'] }), [ELSEWHERE]);
  assert.deepEqual(reasons({ spec: { replicas: 3 } }, { spec: { replicas: 1 } }), [ELSEWHERE]);
});

test('a StatefulSet does not scale before it is updated', () => {
  const set = (replicas: number): Described => ({ kind: 'StatefulSet', spec: { replicas } });
  assert.deepEqual(reasons(set(2), set(3), { places: ['a1'] }), []);
});

test('old pods that are held to those of their revision are together', () => {
  assert.deepEqual(reasons({ spec: TWO, pod: heldTo('web', { matchLabelKeys: ['pod-template-hash'] }) }), []);
});

test('a new pod that may join only one of two old ones may be apart from the volume of the other', () => {
  assert.deepEqual(reasons({ spec: TWO }, HELD, { places: ['a1', 'b1'], cordoned: ['a1'] }), [ELSEWHERE]);
});

test('new pods that find old ones on one node alone, by cordon or by affinity, are together', () => {
  const today = { places: ['a1'], nodes: ['a1', 'b1'], cordoned: ['b1'], before: { spec: TWO } };
  assert.deepEqual(foretold({ ...HELD, spec: { replicas: 3 } }, today).certain.steady.reasons, []);
  const matchExpressions = [{ key: HOST, operator: 'In', values: ['a2', 'b1'] }];
  const nodeAffinity = { [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions }] } };
  const term = { topologyKey: HOST, labelSelector: { matchLabels: { app: 'web' } } };
  const pod = { affinity: { nodeAffinity, podAffinity: { [REQUIRED]: [term] } } };
  const before = { spec: TWO, pod: { nodeSelector: { [ZONE]: 'a' } } };
  assert.deepEqual(foretold({ spec: TWO, pod }, { before }).certain.steady.reasons, []);
});

test('what comes once no old pod is left finds those that came with it together', () => {
  const recreate = { ...TWO, strategy: { type: 'Recreate' } };
  const { rollout, steady } = foretold({ ...HELD, spec: recreate }, { before: { spec: TWO } }).certain;
  assert.deepEqual([rollout.stuck, steady.stuck], [false, false]);
});

test('the last pod of a StatefulSet joins the one that is left of two, and any that are left of three', () => {
  const set = (replicas: number): Described => ({ kind: 'StatefulSet', spec: { replicas } });
  const rolled = (replicas: number) =>
    reasons({ ...set(replicas), claims: [] }, set(replicas), { places: ['a1', 'b1'] });
  assert.deepEqual(rolled(2), []);
  assert.deepEqual(rolled(3), [ELSEWHERE]);
});

test('a volume of its own moves with a pod that has to join others elsewhere', () => {
  const volumeClaimTemplates = [{ metadata: { name: 'own' } }];
  const set = (pod: JsonObject): Described => ({
    kind: 'StatefulSet',
    spec: { ...TWO, volumeClaimTemplates },
    claims: [],
    pod,
  });
  const moves = (own: string, places: readonly string[]) =>
    foretold(set(heldTo('web')), { before: set({}), places, objects: disk(own) }).certain.rollout.multiAttach;
  assert.equal(moves('own-web-1', ['a1', 'b1']), true);
  assert.equal(moves('own-web-1', ['a1']), false);
  // The last pod goes first, to the first one.
  assert.equal(moves('own-web-0', ['a1', 'b1']), false);
});

test('each of several new pods may join another of the old ones that have no volume', () => {
  const bare: Described = { spec: TWO, claims: [] };
  const { certain, waits } = foretold(HELD, { before: bare, places: ['a1', 'b1'] });
  assert.deepEqual([certain.rollout.multiAttach, certain.rollout.stuck], [true, true]);
  assert.deepEqual(waits, [{ ...ELSEWHERE, heldBy: 'old-pods-apart', lasts: 'for-ever' }]);
  const held = { before: bare, places: ['a1', 'b1'], cordoned: ['b1'] };
  assert.deepEqual(foretold(HELD, held).certain.rollout.reasons, []);
});

test('affinity to pods of the same revision alone does not follow old ones', () => {
  const pod = heldTo('web', { matchLabelKeys: ['pod-template-hash'] });
  const bare: Described = { spec: TWO, claims: [] };
  assert.deepEqual(foretold({ ...HELD, pod }, { before: bare, places: ['a1', 'b1'] }).certain.rollout.reasons, []);
});

test('new pods find no node beside old ones that are apart and keep theirs for themselves', () => {
  const alone = { affinity: { podAntiAffinity: { [REQUIRED]: [SELF] } } };
  assert.deepEqual(reasons({ spec: TWO, pod: alone, claims: [] }), [NO_NODE]);
});

test('a spread holds back pods that have to join old ones where another node is empty, and where none is they part', () => {
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ];
  const both: Described = { spec: TWO, pod: { ...heldTo('web'), topologySpreadConstraints } };
  const spread: Described = { spec: TWO, pod: { topologySpreadConstraints }, claims: [] };
  assert.deepEqual(reasons(spread, both), [NO_NODE]);
  assert.deepEqual(reasons(spread, both, { places: ['a1', 'b1'], nodes: ['a1', 'b1'] }), [ELSEWHERE]);
});

test('volumes of which nothing is known are apart where their old pods are, in the worst case only', () => {
  const around: Around = { before: { spec: TWO }, unlisted: 'nodes' };
  const { certain, possible } = foretold(HELD, around);
  assert.deepEqual(certain.rollout.reasons, []);
  assert.deepEqual(
    possible.map(({ rollout }) => rollout.reasons[0]?.cause),
    ['volume-elsewhere', 'volume-elsewhere'],
  );
});
