import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { NodeSearch } from '../../src/facts/node-search.ts';
import type { Cause } from '../../src/forecast/reasons.ts';
import { placesToSpread } from '../../src/forecast/topology.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { nodeFrom } from '../../src/objects/node.ts';
import { podTemplateFrom } from '../../src/objects/pod-template.ts';
import { NodeIndex } from '../../src/snapshot/node-index.ts';
import { APART, causes, disk, forecastOf, HOST, type Pods, REQUIRED, SELF, TOGETHER, ZONE } from './scene.ts';

const CONTROL = {
  metadata: { name: 'control', labels: { [HOST]: 'control' } },
  spec: { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] },
};
const CORDONED = {
  metadata: { name: 'cordoned', labels: { [HOST]: 'cordoned' } },
  spec: { unschedulable: true },
};
const WORKER = { metadata: { name: 'worker', labels: { [HOST]: 'worker' } } };
const NAMELESS = { metadata: { name: 'nameless' } };

/** How many nodes a spread with these settings counts, of two workers, one of them cordoned, a tainted node and one without the label. */
const places: readonly [
  name: string,
  settings: Readonly<Record<string, string>>,
  nodeSelector: Readonly<Record<string, string>>,
  expected: number,
  weather?: boolean,
][] = [
  ['with the defaults counts tainted nodes', {}, {}, 3],
  ['that honors taints leaves tainted nodes out, and none for a cordon', { nodeTaintsPolicy: 'Honor' }, {}, 2],
  ['that honors taints leaves cordoned nodes out today', { nodeTaintsPolicy: 'Honor' }, {}, 1, true],
  ['with the defaults counts cordoned nodes today too', {}, {}, 3, true],
  ['with the defaults leaves unselected nodes out', {}, { [HOST]: 'worker' }, 1],
  ['that ignores node affinity counts unselected nodes', { nodeAffinityPolicy: 'Ignore' }, { [HOST]: 'worker' }, 3],
];

for (const [name, settings, nodeSelector, expected, weather = false] of places) {
  test(`a spread over nodes ${name}`, () => {
    const { spread, ...rest } = podTemplateFrom({
      spec: {
        nodeSelector,
        topologySpreadConstraints: [{ topologyKey: HOST, whenUnsatisfiable: 'DoNotSchedule', ...settings }],
      },
    });
    const [constraint] = spread;
    assert.ok(constraint);
    const nodes = new NodeIndex();
    for (const node of [CONTROL, WORKER, CORDONED, NAMELESS]) nodes.set(nodeFrom(node));
    assert.equal(
      placesToSpread(constraint, { spread, ...rest }, new NodeSearch(nodes, new Budget()), { limit: 9, weather }),
      expected,
    );
  });
}

const SHARED = { objects: disk('data', 'ReadWriteMany') };
const PORT = { containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] };
const ONE_MORE = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
const ONE_LESS = { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } };
const BY_ZONE = { ...SELF, topologyKey: ZONE };
const BY_POOL = { ...SELF, topologyKey: 'pool' };
const byZone = (kind: string): JsonObject => ({ affinity: { [kind]: { [REQUIRED]: [BY_ZONE] } } });
const spread = (more: JsonObject = {}): JsonObject => ({
  topologySpreadConstraints: [{ ...SELF, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', ...more }],
});

/** Pods that share nothing exclusive on nodes named by pool and zone, and why their rollout may wait. */
const crowds: readonly [string, Pods, readonly string[], readonly Cause[]][] = [
  [
    'two pods with a host port on two nodes',
    { replicas: 2, pod: PORT, spec: ONE_MORE },
    ['aa', 'ab'],
    ['too-few-nodes'],
  ],
  ['two pods with a host port on three nodes', { replicas: 2, pod: PORT, spec: ONE_MORE }, ['aa', 'ab', 'ac'], []],
  [
    'two pods with a host port, one of which may be missing',
    { replicas: 2, pod: PORT, spec: ONE_LESS },
    ['aa', 'ab'],
    [],
  ],
  ['one pod with a host port on the only node', { pod: PORT, spec: ONE_MORE }, ['aa'], ['no-node-left']],
  ['three pods that keep apart on three nodes', { replicas: 3, pod: APART }, ['aa', 'ab', 'ac'], ['too-few-nodes']],
  ['a pod alone in its zone, the only one', { pod: byZone('podAntiAffinity') }, ['aa1', 'ba1'], ['no-node-left']],
  ['a pod alone in its zone, one of two', { pod: byZone('podAntiAffinity') }, ['aa1', 'ab1'], []],
  ['a pod alone in its zone beside a node without one', { pod: byZone('podAntiAffinity') }, ['aa1', 'a1'], []],
  ['two pods spread over two nodes', { replicas: 2, pod: spread(), spec: ONE_MORE }, ['aa', 'ab'], []],
  [
    'two pods spread over two nodes and a third that they may not use',
    { replicas: 2, pod: { ...spread({ nodeAffinityPolicy: 'Ignore' }), nodeSelector: { pool: 'a' } }, spec: ONE_MORE },
    ['aa', 'ab', 'bc'],
    ['too-few-nodes'],
  ],
  [
    'two pods spread over at least three nodes, of which there are two',
    { replicas: 2, pod: spread({ minDomains: 3 }), spec: ONE_MORE },
    ['aa', 'ab'],
    ['too-few-nodes'],
  ],
];

for (const [name, pods, nodes, expected] of crowds) {
  test(`${name} ${expected.length === 0 ? 'leave room for another' : `leave none: ${expected}`}`, () => {
    const surroundings = { ...SHARED, nodes };
    assert.deepEqual(causes(forecastOf(pods, surroundings)), expected);
  });
}

/** Pods with a disk for one node, and why a rollout may wait. */
const zones: readonly [string, Pods, readonly string[], readonly Cause[]][] = [
  ['by zone, each with one node, stay there', { pod: byZone('podAffinity') }, ['aa', 'ab'], []],
  ['by zone, one with two nodes, may part', { pod: byZone('podAffinity') }, ['aa', 'ba', 'ab'], ['volume-elsewhere']],
  [
    'by zone and apart by node, alone in the zone, have no node left',
    { pod: { affinity: { podAffinity: { [REQUIRED]: [BY_ZONE] }, ...APART.affinity } } },
    ['aa', 'ab'],
    ['no-node-left'],
  ],
  [
    'by zone and by pool and apart by zone, have no node left',
    {
      pod: {
        affinity: { podAffinity: { [REQUIRED]: [BY_ZONE, BY_POOL] }, podAntiAffinity: { [REQUIRED]: [BY_ZONE] } },
      },
    },
    ['aa1', 'aa2'],
    ['no-node-left'],
  ],
  ['and spread over the only node stay there', { pod: { ...TOGETHER, ...spread() } }, ['aa'], []],
];

for (const [name, pods, nodes, expected] of zones) {
  test(`pods held together ${name}`, () => {
    assert.deepEqual(causes(forecastOf(pods, { nodes })), expected);
  });
}

test('pods held together by zone have no node left where the new ones may not go into the zone', () => {
  const [from, to] = [{ nodeSelector: { pool: 'a' } }, { nodeSelector: { pool: 'b' }, ...byZone('podAffinity') }];
  const nodes = ['aa', 'bb'];
  assert.deepEqual(causes(forecastOf({ pod: to }, { nodes }, { pod: from }, new Set(['aa']))), ['no-node-left']);
});

test('there are too few nodes for pods that have to join others, also where some of those are beyond reach', () => {
  const pods = { replicas: 2, pod: PORT };
  const joining = { ...pods, pod: { ...PORT, ...byZone('podAffinity'), nodeSelector: { pool: 'a' } } };
  const nodes = ['aa1', 'aa2', 'bb'];
  assert.deepEqual(causes(forecastOf(joining, { nodes }, pods)), ['too-few-nodes', 'volume-elsewhere']);
});

test('where the pods are known, a free node anywhere is enough', () => {
  const pods = { replicas: 2, pod: PORT, spec: ONE_MORE };
  const surroundings = { ...SHARED, nodes: ['aa', 'ab'] };
  assert.deepEqual(causes(forecastOf(pods, surroundings, pods, new Set(['aa', 'ab']))), ['too-few-nodes']);
  assert.deepEqual(causes(forecastOf(pods, surroundings, pods, new Set(['aa', 'gone']))), []);
});

test('replicas that are still to come may part before there are too few nodes', () => {
  const pods = { replicas: 3, pod: PORT };
  const { certain } = forecastOf(pods, { nodes: ['aa', 'ab'] }, undefined, new Set(['aa']));
  assert.deepEqual([certain.steady.multiAttach, certain.steady.stuck], [true, true]);
});
