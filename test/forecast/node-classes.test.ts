import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { disk, HOST, REQUIRED, ZONE } from './scene.ts';

interface Asked {
  readonly nodes: number;
  /** What the n-th node says beside its name and zone. */
  readonly labels?: (n: number) => JsonObject;
  /** What it has for pods. */
  readonly allocatable?: (n: number) => JsonObject;
  readonly pod?: JsonObject;
}

function foretold({ nodes, labels = () => ({}), allocatable, pod = {} }: Asked) {
  const state = new ClusterState();
  for (const object of disk('data')) putObject(state, object);
  for (let n = 0; n < nodes; n++) {
    const all = { [HOST]: `n${n}`, [ZONE]: `z${n % 3}`, ...labels(n) };
    const status = allocatable && { allocatable: allocatable(n) };
    putObject(state, { apiVersion: 'v1', kind: 'Node', metadata: { name: `n${n}`, labels: all }, status });
  }
  const spec = { ...pod, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
  const template = { metadata: { labels: { app: 'web' } }, spec };
  const metadata = { namespace: 'shop', name: 'web' };
  const workload = workloadFrom('Deployment', { metadata, spec: { replicas: 2, template } });
  const { facts } = gatherFacts(workload, state, storageMatrix(), new Budget());
  const { certain, overBudget } = forecast(facts);
  return { stuck: certain.rollout.stuck, overBudget, spent: facts.budget.spent };
}

const SELF = { labelSelector: { matchLabels: { app: 'web' } } };
const onNodes = (expression: JsonObject) => ({
  affinity: {
    nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
  },
});
const by = (...topologyKeys: readonly string[]) => ({
  affinity: { podAffinity: { [REQUIRED]: topologyKeys.map((topologyKey) => ({ ...SELF, topologyKey })) } },
});
const BITS = Array.from({ length: 13 }, (_, bit) => `bit-${bit}`);

const pods: Readonly<Record<string, JsonObject>> = {
  'that ask for nothing': {},
  'of one zone': { nodeSelector: { [ZONE]: 'z1' } },
  'of one node': { nodeSelector: { [HOST]: 'n7' } },
  'that keep off a node': onNodes({ key: HOST, operator: 'NotIn', values: ['n7'] }),
  'held to one node': by(HOST),
  'held to one zone': by(ZONE),
};

for (const [which, pod] of Object.entries(pods)) {
  test(`pods ${which} are as safe on 5,000 nodes as on 100, and looked at for the same price`, () => {
    const [few, many] = [foretold({ nodes: 100, pod }), foretold({ nodes: 5_000, pod })];
    assert.deepEqual({ ...many, spent: few.spent }, few);
    assert.ok(many.spent <= 1.2 * few.spent, `${few.spent} operations for few nodes, ${many.spent} for many`);
  });
}

const asking = (requests: JsonObject) => ({
  containers: [{ resources: { requests }, volumeMounts: [{ name: 'data' }] }],
});
/** No two of them have the same. */
const memory = (n: number): JsonObject => ({ memory: `${8_000_000 + n}Ki` });

test('pods that any node has room for are looked at for the same price on 5,000 nodes as on 100', () => {
  const pod = asking({ memory: '1Gi' });
  const [few, many] = [100, 5_000].map((nodes) => foretold({ nodes, allocatable: memory, pod }));
  assert.deepEqual({ ...many, spent: few?.spent }, few);
  assert.ok((many?.spent ?? 0) <= 1.2 * (few?.spent ?? 0), `${few?.spent} operations, and ${many?.spent}`);
});

test('a pod is safe on the one node of its shape that has room for it', () => {
  const [one, two] = ['8000498Ki', '8000497Ki'].map((asked) =>
    foretold({ nodes: 499, allocatable: memory, pod: asking({ memory: asked }) }),
  );
  assert.deepEqual([one?.stuck, two?.stuck], [false, true]);
});

test('a pod is safe on the one node that a label of nearly every node names', () => {
  const labels = (n: number): JsonObject => ({ serial: `${n}` });
  const [one, two] = [['7'], ['7', '8']].map((values) =>
    foretold({ nodes: 500, labels, pod: onNodes({ key: 'serial', operator: 'In', values }) }),
  );
  assert.deepEqual([one?.stuck, two?.stuck], [false, true]);
});

test('nodes that only a comparison of numbers tells apart are looked at one by one', () => {
  const labels = (n: number): JsonObject => ({ serial: `${n}` });
  const [one, two] = ['498', '497'].map((serial) =>
    foretold({ nodes: 500, labels, pod: onNodes({ key: 'serial', operator: 'Gt', values: [serial] }) }),
  );
  assert.deepEqual([one?.stuck, two?.stuck], [false, true]);
});

/** Where there are more than are looked at, nothing is said to be safe. */
const hostile: Readonly<Record<string, Asked>> = {
  '5,000 nodes that all differ': {
    nodes: 5_000,
    labels: (n) => Object.fromEntries(BITS.map((bit, at) => [bit, `${(n >> at) & 1}`])),
    pod: by(...BITS),
  },
  '500 domains by which pods are held': {
    nodes: 5_000,
    labels: (n) => ({ rack: `r${n % 500}` }),
    pod: by('rack'),
  },
  'requests that half of 5,000 nodes alike have room for': {
    nodes: 5_000,
    allocatable: memory,
    pod: asking({ memory: '8002500Ki' }),
  },
  'requests for 5,000 resources, of which half of 5,000 nodes alike have one': {
    nodes: 5_000,
    allocatable: memory,
    pod: asking({
      ...Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`example.com/r${n}`, '0'])),
      memory: '8002500Ki',
    }),
  },
  'a comparison of the numbers of 5,000 nodes': {
    nodes: 5_000,
    labels: (n) => ({ serial: `${n}` }),
    pod: onNodes({ key: 'serial', operator: 'Gt', values: ['0'] }),
  },
};

for (const [what, asked] of Object.entries(hostile)) {
  test(`${what} are bounded, and what is not looked at is not called safe`, () => {
    const { stuck, overBudget, spent } = foretold(asked);
    assert.ok(stuck || overBudget);
    assert.ok(spent < 50_000, `${spent} operations`);
  });
}
