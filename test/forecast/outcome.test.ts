import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cause } from '../../src/forecast/reasons.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import {
  APART,
  type Around,
  causes,
  type Described,
  disk,
  foretold,
  HOST,
  REQUIRED,
  SELF,
  TOGETHER,
  ZONE,
} from './scene.ts';

const RECREATE = { strategy: { type: 'Recreate' } };

test('one replica with the defaults waits for ever for a volume on another node', () => {
  const { certain, possible, open } = foretold({});
  assert.deepEqual(certain.rollout, {
    multiAttach: true,
    stuck: true,
    reasons: [{ cause: 'volume-elsewhere', claims: ['data'] }],
  });
  assert.deepEqual(certain.steady, { multiAttach: false, stuck: false, reasons: [] });
  assert.deepEqual([possible, open], [[], []]);
});

test('with Recreate the volume may still have to move, and nothing is stuck', () => {
  const { certain } = foretold({ spec: RECREATE });
  assert.equal(certain.rollout.multiAttach, true);
  assert.equal(certain.rollout.stuck, false);
});

test('with Recreate replicas that can never share a node are stuck in a rollout too', () => {
  const { certain } = foretold({ replicas: 2, spec: RECREATE });
  assert.equal(certain.rollout.stuck, true);
  assert.deepEqual(certain.steady, {
    multiAttach: true,
    stuck: true,
    reasons: [{ cause: 'volume-elsewhere', claims: ['data'] }],
  });
});

test('a claim for one pod makes pods wait without any volume being attached twice', () => {
  const { certain } = foretold({ replicas: 2 }, { objects: disk('data', 'ReadWriteOncePod') });
  assert.deepEqual(certain.rollout, {
    multiAttach: false,
    stuck: true,
    reasons: [{ cause: 'one-pod', claims: ['data'] }],
  });
  assert.equal(certain.steady.stuck, true);
});

for (const [name, pods] of Object.entries<Described>({
  'paused Deployment': { spec: { paused: true } },
  'Deployment without replicas': { replicas: 0 },
  'Deployment that is being deleted': { replicas: 3, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
})) {
  test(`a ${name} is no hazard`, () => {
    const { certain } = foretold(pods);
    assert.deepEqual([certain.rollout.stuck, certain.rollout.multiAttach], [false, false]);
    assert.deepEqual([certain.steady.stuck, certain.steady.multiAttach], [false, false]);
  });
}

test('while it is paused, only more replicas start pods', () => {
  const paused = { replicas: 3, spec: { paused: true } };
  const changed = { pod: { hostname: 'x' } };
  assert.equal(foretold({ ...paused, ...changed }, { before: paused }).certain.rollout.stuck, false);
  assert.deepEqual(foretold({ ...paused, ...changed }, { before: { ...paused, replicas: 2 } }).certain.rollout, {
    multiAttach: true,
    stuck: true,
    reasons: [], // of old pods, which do nothing to replicas of their own revision that come to them
  });
});

const AFTER_A1 = { nodeSelector: { [HOST]: 'a1' } };
const AFTER_B1 = { nodeSelector: { [HOST]: 'b1' } };

/** A template now, the one before, and why the rollout from one to the other may wait. */
const updates: Readonly<Record<string, [Described, Described, readonly Cause[]]>> = {
  'moves the pods to another node': [{ pod: AFTER_A1 }, { pod: AFTER_B1 }, ['volume-elsewhere']],
  'keeps the pods on their node': [{ pod: { ...AFTER_A1, hostname: 'x' } }, { pod: AFTER_A1 }, []],
  'pins pods that were free to go anywhere': [{ pod: AFTER_A1 }, {}, ['volume-elsewhere']],
  'frees pods that were pinned': [{}, { pod: AFTER_A1 }, ['volume-elsewhere']],
  'holds pods together that were not': [{ pod: TOGETHER }, {}, []],
  'lets pods go that were held together': [{}, { pod: TOGETHER }, ['volume-elsewhere']],
  'holds pods together that kept apart': [{ pod: TOGETHER }, { pod: APART }, ['no-node-left']],
  'takes another claim on a free node': [{ claims: ['more'], pod: TOGETHER }, { claims: ['data'] }, []],
  'adds a claim': [{ claims: ['data', 'more'], pod: AFTER_A1 }, { pod: AFTER_B1 }, ['volume-elsewhere']],
  'gives pods another node by name, against their affinity': [
    { pod: { ...TOGETHER, nodeName: 'a1' } },
    { pod: { nodeName: 'b1' } },
    ['volume-elsewhere'],
  ],
};

for (const [name, [now, before, expected]] of Object.entries(updates)) {
  test(`an update that ${name} ${expected.length === 0 ? 'makes nothing wait' : `may wait: ${expected}`}`, () => {
    assert.deepEqual(causes(foretold(now, { before })), expected);
  });
}

test('only the claims that both templates mount are to blame in an update', () => {
  const { certain } = foretold({ claims: ['data', 'more'], pod: AFTER_A1 }, { before: { pod: AFTER_B1 } });
  assert.deepEqual(certain.rollout.reasons, [{ cause: 'volume-elsewhere', claims: ['data'] }]);
});

test('a disk in the template is the same under another volume name, and another under the same', () => {
  const aws = (name: string, volumeID: string) => ({
    claims: [],
    volumes: [{ name, awsElasticBlockStore: { volumeID } }],
  });
  const to = (now: Described, before: Described) =>
    causes(foretold({ ...now, pod: AFTER_A1 }, { before: { ...before, pod: AFTER_B1 } }));
  assert.ok(to(aws('renamed', 'vol-1'), aws('disk', 'vol-1')).includes('volume-elsewhere'));
  assert.ok(!to(aws('disk', 'vol-2'), aws('disk', 'vol-1')).includes('volume-elsewhere'));
});

test('two inline disks keep pods apart by what they are', () => {
  const inline = (volume: JsonObject) => causes(foretold({ claims: [], volumes: [{ name: 'd', ...volume }] }, ONE));
  assert.deepEqual(inline({ awsElasticBlockStore: { volumeID: 'v', readOnly: true } }), ['no-node-left']);
  assert.deepEqual(inline({ gcePersistentDisk: { pdName: 'p' } }), ['no-node-left']);
  assert.deepEqual(inline({ gcePersistentDisk: { pdName: 'p', readOnly: true } }), []);
  assert.deepEqual(inline({ cinder: { volumeID: 'v' } }), []);
});

const ONE: Around = { nodes: ['a1'] };

test('on one node nothing moves, and what may not share it waits for ever', () => {
  assert.deepEqual(causes(foretold({}, ONE)), []);
  assert.deepEqual(causes(foretold({ pod: APART }, ONE)), ['no-node-left']);
});

test('where no node fits nothing lands, so that nothing collides', () => {
  assert.deepEqual(causes(foretold({ pod: { nodeSelector: { [ZONE]: 'none' } } })), []);
  assert.deepEqual(causes(foretold({ pod: APART }, { nodes: [] })), []);
});

const MISSING = { claims: ['missing'] };

test('what is not known is not certain, and may be possible', () => {
  const { certain, possible, open } = foretold(MISSING);
  assert.equal(certain.rollout.stuck, false);
  assert.ok(possible.some(({ rollout }) => rollout.reasons.some(({ cause }) => cause === 'volume-elsewhere')));
  assert.ok(possible.some(({ rollout }) => rollout.reasons.some(({ cause }) => cause === 'one-pod')));
  assert.deepEqual(open, ['claim shop/missing does not exist yet']);
});

test('while the nodes are not listed nothing about them is certain', () => {
  const { certain, possible, open } = foretold({}, { unlisted: 'nodes' });
  assert.equal(certain.rollout.stuck, false);
  assert.ok(possible.some(({ rollout }) => rollout.stuck));
  assert.deepEqual(open, ['nodes are not listed']);
});

test('while nodes are not listed nothing is certain of a rollout whose old pods are known either', () => {
  const { certain } = foretold({}, { unlisted: 'nodes', before: {}, places: ['a1'] });
  assert.deepEqual([certain.rollout.stuck, certain.rollout.reasons], [false, []]);
});

test('a claim for one pod is certain to be in the way while the nodes are not listed', () => {
  const { certain } = foretold({}, { unlisted: 'nodes', objects: disk('data', 'ReadWriteOncePod') });
  assert.equal(certain.rollout.stuck, true);
});

const BY_TEAM = { ...SELF, namespaceSelector: { matchLabels: { team: 'red' } } };

for (const [kind, cause] of [
  ['podAffinity', 'volume-elsewhere'],
  ['podAntiAffinity', 'no-node-left'],
] as const) {
  test(`${kind} by labels of a namespace that cannot be read leaves the answer open`, () => {
    const pod = { affinity: { [kind]: { [REQUIRED]: [BY_TEAM] } } };
    const { certain, possible, open } = foretold({ pod }, kind === 'podAffinity' ? {} : ONE);
    assert.equal(certain.rollout.stuck, false);
    assert.ok(possible.every(({ rollout }) => rollout.reasons.some((reason) => reason.cause === cause)));
    assert.deepEqual(open, ['namespace shop does not exist']);
  });
}

test('labels of a namespace that no term asks for are no open question', () => {
  assert.deepEqual(foretold({ pod: TOGETHER }).open, []);
});

test('a forecast is the same each time', () => {
  assert.deepEqual(foretold({ replicas: 3 }), foretold({ replicas: 3 }));
});
