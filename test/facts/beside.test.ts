import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { besideOthers } from '../../src/facts/beside.ts';
import { NodeSearch } from '../../src/facts/node-search.ts';
import type { Bystander } from '../../src/facts/workload-facts.ts';
import { type Fact, known, mapFact, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { nodeFrom } from '../../src/objects/node.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { NodeIndex } from '../../src/snapshot/node-index.ts';

const ZONE = 'topology.kubernetes.io/zone';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Nodes have their name, a pool, its first letter, and a zone, the second, if there is one. */
function nodesOf(...names: readonly string[]): NodeIndex {
  const nodes = new NodeIndex();
  for (const name of names) {
    const zone = /^[a-z]{2}/.test(name) ? { [ZONE]: name.charAt(1) } : {};
    nodes.set(nodeFrom({ metadata: { name, labels: { name, pool: name.charAt(0), ...zone } } }));
  }
  return nodes;
}

function pods(app: string, spec: JsonObject = {}, kind: 'Deployment' | 'DaemonSet' = 'Deployment'): Bystander {
  const template = { metadata: { labels: { app } }, spec };
  const workload = workloadFrom(kind, { metadata: { namespace: 'shop', name: app }, spec: { template } });
  return { workload, namespaceLabels: unknown('nobody knows') };
}

function term(app: string, more: JsonObject = {}): JsonObject {
  return { topologyKey: ZONE, labelSelector: { matchLabels: { app } }, ...more };
}

function held(...terms: readonly JsonObject[]): JsonObject {
  return { affinity: { podAffinity: { [REQUIRED]: terms } } };
}

const NODES = nodesOf('ax', 'by', 'bz', 'c');

/** The values that are left of each label. */
function left(
  own: Bystander,
  others: Fact<readonly Bystander[]>,
  nodes: Fact<NodeIndex> = known(NODES),
): readonly (readonly [string, string, readonly string[]])[] {
  const searched = mapFact(nodes, (index) => new NodeSearch(index, new Budget()));
  return besideOthers(own, { bystanders: others, nodes: searched }).flatMap((terms) =>
    terms.flatMap(({ expressions }) =>
      expressions.map(({ key, operator, values }) => [key, operator, values.toSorted()] as const),
    ),
  );
}

const WEB = pods('web', held(term('db')));
const IN_POOL_B = { nodeSelector: { pool: 'b' } };

test('pods that have to be with those of another workload are where these may be', () => {
  assert.deepEqual(left(WEB, known([pods('db', IN_POOL_B), pods('else')])), [[ZONE, 'In', ['y', 'z']]]);
  assert.deepEqual(left(WEB, known([pods('db', { nodeName: 'ax' })])), [[ZONE, 'In', ['x']]]);
  assert.deepEqual(left(WEB, known([pods('db', IN_POOL_B), pods('db', { nodeName: 'ax' })])), [
    [ZONE, 'In', ['x', 'y', 'z']],
  ]);
});

test('each term says of its own label where that is, and means pods that match all', () => {
  const both = pods('web', held(term('db'), term('db', { topologyKey: 'pool' })));
  assert.deepEqual(left(both, known([pods('db', IN_POOL_B)])), [
    [ZONE, 'In', ['y', 'z']],
    ['pool', 'In', ['b']],
  ]);
  assert.deepEqual(left(pods('web', held(term('db'), term('cache'))), known([pods('db'), pods('cache')])), []);
});

test('pods that are meant themselves may be the first, and so anywhere', () => {
  const selector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'db'] }] };
  const own = pods('web', held({ topologyKey: ZONE, labelSelector: selector }));
  assert.deepEqual(left(own, known([pods('db', IN_POOL_B)])), []);
});

test('nothing is said where nobody is meant, or is on no node of any domain, or on none', () => {
  assert.deepEqual(left(WEB, known([pods('else')])), []);
  assert.deepEqual(left(WEB, known([pods('db', { nodeSelector: { pool: 'c' } })])), []);
  assert.deepEqual(left(WEB, known([pods('db', { nodeSelector: { pool: 'd' } })])), []);
  assert.deepEqual(left(WEB, known([pods('db', { nodeName: 'gone' })])), []);
  assert.deepEqual(left(pods('web'), known([pods('web'), pods('db')])), []);
});

test('nothing is said where nodes or workloads are not listed', () => {
  assert.deepEqual(left(WEB, unknown('jobs are not listed')), []);
  assert.deepEqual(left(WEB, known([pods('db', IN_POOL_B)]), unknown('nodes are not listed')), []);
});

test('pods on more than 16 nodes are taken for such as may be anywhere', () => {
  const names = Array.from({ length: 17 }, (_, index) => `a${String.fromCharCode(97 + index)}`);
  const among = (count: number) => left(WEB, known([pods('db')]), known(nodesOf(...names.slice(0, count)))).length;
  assert.deepEqual([among(16), among(17)], [1, 0]);
});

test('a pod of a DaemonSet comes to its node, wherever those are that it has to be with', () => {
  assert.deepEqual(left(pods('web', held(term('db')), 'DaemonSet'), known([pods('db', IN_POOL_B)])), []);
});

test('pods of a namespace whose labels cannot be read may be meant', () => {
  const own = pods('web', held(term('db', { namespaceSelector: { matchLabels: { team: 'blue' } } })));
  assert.deepEqual(left(own, known([pods('db', IN_POOL_B)])), [[ZONE, 'In', ['y', 'z']]]);
});

test('taints keep the others off nodes as they do all pods', () => {
  const nodes = nodesOf('ax', 'by');
  nodes.set(
    nodeFrom({
      metadata: { name: 'by', labels: { [ZONE]: 'y' } },
      spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] },
    }),
  );
  const tolerant = { tolerations: [{ operator: 'Exists' }] };
  assert.deepEqual(left(WEB, known([pods('db')]), known(nodes)), [[ZONE, 'In', ['x']]]);
  assert.deepEqual(left(WEB, known([pods('db', tolerant)]), known(nodes)), [[ZONE, 'In', ['x', 'y']]]);
});
