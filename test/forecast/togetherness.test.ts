import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  needsNamespaceLabels,
  type Pod,
  spreadsToKeep,
  topologiesToAvoid,
  topologiesToShare,
} from '../../src/forecast/togetherness.ts';
import { type Fact, known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { podTemplateFrom } from '../../src/objects/pod-template.ts';
import { NODE } from '../../src/snapshot/domains.ts';
import { HOST, REQUIRED, ZONE } from './scene.ts';

const WEB = { matchLabels: { app: 'web' } };
const HASH = 'pod-template-hash';

interface Described {
  readonly spec?: JsonObject;
  readonly labels?: JsonObject;
  readonly revision?: string;
  readonly namespace?: string;
  readonly namespaceLabels?: Fact<ReadonlyMap<string, string>>;
}

/** A pod of the app web in the namespace shop. */
function pod({
  spec = {},
  labels = { app: 'web' },
  revision,
  namespace = 'shop',
  namespaceLabels = known(new Map([['team', 'red']])),
}: Described = {}): Pod {
  const template = podTemplateFrom({ metadata: { labels: { ...labels, [HASH]: revision } }, spec });
  return { template, labels: template.labels, namespace, namespaceLabels };
}

const terms = (kind: string, ...each: readonly JsonObject[]): JsonObject => ({
  affinity: { [kind]: { [REQUIRED]: each.map((term) => ({ topologyKey: ZONE, labelSelector: WEB, ...term })) } },
});

/** A term, the pod that runs beside, and whether the term means it; `undefined` while nobody can tell. */
const meanings: readonly (readonly [string, JsonObject, Described, boolean | undefined])[] = [
  ['a pod of its labels', {}, {}, true],
  ['a pod of other labels', {}, { labels: { app: 'db' } }, false],
  ['nobody without a selector', { labelSelector: null }, {}, false],
  ['everybody by an empty selector', { labelSelector: {} }, { labels: {} }, true],
  ['a pod of another namespace', {}, { namespace: 'blog' }, false],
  ['a pod of a named namespace', { namespaces: ['blog', 'news'] }, { namespace: 'news' }, true],
  ['a pod of its own namespace where others are named', { namespaces: ['blog'] }, {}, false],
  ['a pod of any namespace', { namespaceSelector: {} }, { namespace: 'blog' }, true],
  [
    'a pod of any namespace, whatever labels that has',
    { namespaceSelector: {} },
    { namespaceLabels: unknown('not listed') },
    true,
  ],
  ['a pod of a namespace by its labels', { namespaceSelector: { matchLabels: { team: 'red' } } }, {}, true],
  ['a pod of a namespace of other labels', { namespaceSelector: { matchLabels: { team: 'blue' } } }, {}, false],
  [
    'a pod of a named namespace whose labels differ',
    { namespaces: ['shop'], namespaceSelector: { matchLabels: { team: 'blue' } } },
    {},
    true,
  ],
  [
    'a pod of a namespace whose labels nobody knows',
    { namespaceSelector: { matchLabels: { team: 'red' } } },
    { namespaceLabels: unknown('not listed') },
    undefined,
  ],
  [
    'a pod of other labels, whatever its namespace is',
    { namespaceSelector: { matchLabels: { team: 'red' } } },
    { labels: { app: 'db' }, namespaceLabels: unknown('not listed') },
    false,
  ],
  ['a pod of another revision by its hash', { matchLabelKeys: [HASH] }, { revision: 'old' }, false],
  ['a pod of its own revision by its hash', { matchLabelKeys: [HASH] }, { revision: 'new' }, true],
  ['a pod of another revision that is not its own', { mismatchLabelKeys: [HASH] }, { revision: 'old' }, true],
  ['a pod of its own revision that is not its own', { mismatchLabelKeys: [HASH] }, { revision: 'new' }, false],
  ['a pod, whatever a label says that it has not itself', { matchLabelKeys: ['tier'] }, {}, true],
];

for (const [name, term, beside, expected] of meanings) {
  const verb = expected === undefined ? 'perhaps means' : expected ? 'means' : 'does not mean';
  test(`a term of affinity ${verb} ${name}`, () => {
    const runs = pod(beside);
    const together = pod({ spec: terms('podAffinity', term), revision: 'new' });
    const apart = pod({ spec: terms('podAntiAffinity', term), revision: 'new' });
    for (const unknownIsHarmless of [true, false]) {
      const held = topologiesToShare(together, runs, unknownIsHarmless);
      assert.deepEqual(held, (expected ?? unknownIsHarmless) ? [ZONE] : []);
      const repelled = topologiesToAvoid(apart, runs, unknownIsHarmless);
      assert.deepEqual(repelled, (expected ?? !unknownIsHarmless) ? [ZONE] : []);
    }
  });
}

test('affinity holds only to a pod that every term means', () => {
  const both = terms('podAffinity', {}, { labelSelector: { matchLabels: { tier: 'front' } }, topologyKey: HOST });
  assert.deepEqual(topologiesToShare(pod({ spec: both }), pod(), true), []);
  const front = pod({ labels: { app: 'web', tier: 'front' } });
  assert.deepEqual(topologiesToShare(pod({ spec: both }), front, true), [ZONE, HOST]);
});

test('anti-affinity of the pod that runs keeps another out too', () => {
  const apart = pod({ spec: terms('podAntiAffinity', {}) });
  assert.deepEqual(topologiesToAvoid(pod(), apart, true), [ZONE]);
  assert.deepEqual(topologiesToAvoid(pod({ labels: { app: 'db' } }), apart, true), []);
});

test('a pod with a nodeName gets past affinity, anti-affinity and spread, but not past a port', () => {
  const spread = [{ topologyKey: ZONE, labelSelector: WEB, whenUnsatisfiable: 'DoNotSchedule' }];
  const spec = {
    nodeName: 'a',
    affinity: { ...asObject(terms('podAffinity', {}).affinity), ...asObject(terms('podAntiAffinity', {}).affinity) },
    topologySpreadConstraints: spread,
    containers: [{ ports: [{ hostPort: 80 }] }],
    volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'p' } }],
  };
  const bound = pod({ spec });
  assert.deepEqual(topologiesToShare(bound, pod(), true), []);
  assert.deepEqual(topologiesToAvoid(bound, bound, true), [NODE]);
  assert.deepEqual(spreadsToKeep(bound, pod(), 1), []);
});

function asObject(value: unknown): JsonObject {
  return { ...(typeof value === 'object' ? value : {}) };
}

const port = (more: JsonObject = {}): JsonObject => ({ containers: [{ ports: [{ hostPort: 80, ...more }] }] });

/** Two host ports, and whether one node has room for both. */
const ports: readonly (readonly [JsonObject, JsonObject, boolean])[] = [
  [{}, {}, false],
  [{}, { hostPort: 81 }, true],
  [{}, { protocol: 'UDP' }, true],
  [{}, { hostIP: '10.0.0.1' }, false],
  [{ hostIP: '0.0.0.0' }, { hostIP: '10.0.0.1' }, false],
  [{ hostIP: '10.0.0.1' }, { hostIP: '10.0.0.1' }, false],
  [{ hostIP: '10.0.0.1' }, { hostIP: '10.0.0.2' }, true],
];

for (const [one, other, room] of ports) {
  test(`${JSON.stringify(one)} and ${JSON.stringify(other)} ${room ? 'share' : 'do not share'} a node`, () => {
    const [a, b] = [pod({ spec: port(one) }), pod({ spec: port(other) })];
    const expected = room ? [] : [NODE];
    assert.deepEqual([topologiesToAvoid(a, b, true), topologiesToAvoid(b, a, true)], [expected, expected]);
  });
}

const aws = (volumeID: string, readOnly = false): JsonObject => ({ awsElasticBlockStore: { volumeID, readOnly } });
const gce = (pdName: string, readOnly = false): JsonObject => ({ gcePersistentDisk: { pdName, readOnly } });
const iscsi = (iqn: string, more: JsonObject = {}): JsonObject => ({
  iscsi: { targetPortal: '10.0.0.1', lun: 0, iqn, ...more },
});
const rbd = (image: string, more: JsonObject = {}): JsonObject => ({ rbd: { monitors: ['a', 'b'], image, ...more } });

/** Two disks written into pods, and whether one node may have both pods. */
const disks: readonly (readonly [JsonObject, JsonObject, boolean])[] = [
  [aws('v'), aws('v'), false],
  [aws('v', true), aws('v', true), false],
  [aws('v'), aws('w'), true],
  [gce('v'), gce('v'), false],
  [gce('v'), gce('w'), true],
  [gce('v', true), gce('v'), false],
  [gce('v', true), gce('v', true), true],
  [aws('v'), gce('v'), true],
  [iscsi('v'), iscsi('v', { targetPortal: '10.0.0.2', lun: 1 }), false],
  [iscsi('v'), iscsi('w'), true],
  [iscsi('v', { readOnly: true }), iscsi('v'), false],
  [iscsi('v', { readOnly: true }), iscsi('v', { readOnly: true }), true],
  [rbd('v'), rbd('v', { pool: 'rbd', monitors: ['b', 'c'] }), false],
  [rbd('v'), rbd('v', { monitors: ['c'] }), true],
  [rbd('v'), rbd('v', { pool: 'other' }), true],
  [rbd('v'), rbd('w'), true],
  [rbd('v', { readOnly: true }), rbd('v'), false],
  [rbd('v', { readOnly: true }), rbd('v', { readOnly: true }), true],
  [{ cinder: { volumeID: 'v' } }, { cinder: { volumeID: 'v' } }, true],
  [{ persistentVolumeClaim: { claimName: 'v' } }, { persistentVolumeClaim: { claimName: 'v' } }, true],
];

for (const [one, other, room] of disks) {
  test(`pods with ${JSON.stringify(one)} and ${JSON.stringify(other)} ${room ? 'share' : 'do not share'} a node`, () => {
    const [a, b] = [one, other].map((volume) => pod({ spec: { volumes: [{ name: 'd', ...volume }] } }));
    assert.ok(a !== undefined && b !== undefined);
    const expected = room ? [] : [NODE];
    assert.deepEqual([topologiesToAvoid(a, b, true), topologiesToAvoid(b, a, true)], [expected, expected]);
  });
}

test('one disk that two pods have in common is enough to keep them apart', () => {
  const withDisks = (...ids: readonly string[]) =>
    pod({ spec: { volumes: ids.map((id) => ({ name: id, ...aws(id) })) } });
  assert.deepEqual(topologiesToAvoid(withDisks('u', 'v'), withDisks('v', 'w'), true), [NODE]);
});

const OF_ONE_HASH: JsonObject = { labelSelector: {}, matchLabelKeys: [HASH] };

/** A spread, the pod that comes and the one that runs, and how many of the latter the spread does not bear. */
const spreads: readonly (readonly [string, JsonObject, Described, Described, number])[] = [
  ['counts pods of its labels', {}, {}, {}, 1],
  ['bears as many more as its skew', { maxSkew: 2 }, {}, {}, 2],
  ['counts nobody without a selector', { labelSelector: null }, {}, {}, Number.POSITIVE_INFINITY],
  ['counts nobody that is of other labels', {}, {}, { labels: { app: 'db' } }, Number.POSITIVE_INFINITY],
  ['counts nobody by an empty selector', { labelSelector: {} }, {}, {}, Number.POSITIVE_INFINITY],
  [
    'counts nobody by an empty selector and a label that the pod has not',
    { labelSelector: {}, matchLabelKeys: ['tier'] },
    {},
    {},
    Number.POSITIVE_INFINITY,
  ],
  [
    'counts pods of its own revision by an empty selector and their hash',
    OF_ONE_HASH,
    { revision: 'a' },
    { revision: 'a' },
    1,
  ],
  ['bears one more beside a pod that it does not count itself', {}, { labels: { app: 'db' } }, {}, 2],
  ['counts nobody of another namespace', {}, {}, { namespace: 'blog' }, Number.POSITIVE_INFINITY],
  [
    'counts nobody of another revision by its hash',
    { matchLabelKeys: [HASH] },
    { revision: 'a' },
    { revision: 'b' },
    Number.POSITIVE_INFINITY,
  ],
];

for (const [name, more, comes, runs, most] of spreads) {
  test(`a spread ${name}`, () => {
    const constraint = { topologyKey: ZONE, labelSelector: WEB, whenUnsatisfiable: 'DoNotSchedule', ...more };
    const incoming = pod({ ...comes, spec: { topologySpreadConstraints: [constraint] } });
    const kept = (running: number) => spreadsToKeep(incoming, pod(runs), running).length > 0;
    assert.deepEqual([kept(most - 1), kept(Math.min(most, 99))], [false, most < 99]);
  });
}

test('the labels of a namespace matter only to a term that selects by them and does not name it', () => {
  const needed = (kind: string, ...each: readonly JsonObject[]) =>
    needsNamespaceLabels(podTemplateFrom({ spec: terms(kind, ...each) }), 'shop');
  const byTeam = { namespaceSelector: { matchLabels: { team: 'red' } } };
  assert.deepEqual([needed('podAffinity', byTeam), needed('podAntiAffinity', {}, byTeam)], [true, true]);
  assert.equal(needed('podAffinity', {}), false);
  assert.equal(needed('podAffinity', { namespaceSelector: {} }), false);
  assert.equal(needed('podAffinity', { ...byTeam, namespaces: ['shop'] }), false);
});
