import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Budget } from '../../src/budget.ts';
import { NodeSearch } from '../../src/facts/node-search.ts';
import type { PodFacts } from '../../src/facts/workload-facts.ts';
import { groundFor, mayLandOn } from '../../src/forecast/placement.ts';
import { known } from '../../src/objects/fact.ts';
import { type Node, nodeFrom } from '../../src/objects/node.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { NodeIndex } from '../../src/snapshot/node-index.ts';
import { HOST } from './scene.ts';

/*
 * Where a pod may land beside one that runs, held against the two sets of nodes.
 */

const anyName = fc.integer({ min: 0, max: 6 }).map((n) => `n${n}`);
const anyNode = fc
  .record({ name: anyName, pool: fc.constantFrom('db', 'web'), unschedulable: fc.boolean() })
  .map(({ name, pool, unschedulable }) =>
    nodeFrom({ metadata: { name, labels: { [HOST]: name, pool } }, spec: { unschedulable } }),
  );
const anyNodes = fc.uniqueArray(anyNode, { selector: ({ name }) => name, maxLength: 4 });
const anyPods = fc.record({
  nodeSelector: fc.constantFrom<Readonly<Record<string, string>>>({}, { pool: 'db' }, { pool: 'web' }, { pool: 'no' }),
  nodeName: fc.option(anyName, { nil: undefined, freq: 3 }),
});
const anyPlaces = fc.uniqueArray(anyName, { maxLength: 3 });

type Pods = typeof anyPods extends fc.Arbitrary<infer T> ? T : never;

function indexOf(nodes: readonly Node[]): NodeSearch {
  const index = new NodeIndex();
  for (const node of nodes) index.set(node);
  return new NodeSearch(index, new Budget());
}

function factsOf(spec: Pods, nodes: NodeSearch): PodFacts {
  return {
    workload: workloadFrom('Deployment', { spec: { template: { spec } } }),
    siblings: undefined,
    claims: [],
    ownClaims: [],
    beside: [],
    placed: [],
    budget: new Budget(),
    bystanders: known([]),
    nodes: known(nodes),
    namespaceLabels: known(new Map()),
  };
}

function placesOf({ nodeSelector, nodeName }: Pods, nodes: readonly Node[], weather: boolean): readonly string[] {
  if (nodeName !== undefined) return [nodeName];
  const fitting = nodes.filter(
    ({ labels, unschedulable }) =>
      Object.entries(nodeSelector).every(([key, value]) => labels.get(key) === value) && !(weather && unschedulable),
  );
  return fitting.map(({ name }) => name);
}

test('a pod may part from one that runs, or not join it, as the nodes of both tell', () => {
  fc.assert(
    fc.property(anyNodes, anyPods, anyPods, (nodes, comes, runs) => {
      const index = indexOf(nodes);
      const [landing, sitting] = [placesOf(comes, nodes, false), placesOf(runs, nodes, false)];
      const arrival = { incoming: factsOf(comes, index), running: factsOf(runs, index), weather: false };
      assert.deepEqual(groundFor(arrival, index), {
        nowhere: landing.length === 0,
        mayPart: landing.length > 0 && new Set([...landing, ...sitting]).size > 1,
        mayNotJoin: sitting.some((name) => !landing.includes(name)),
      });
    }),
    { numRuns: 1_000 },
  );
});

test('a pod of the same template joins wherever one may be', () => {
  fc.assert(
    fc.property(anyNodes, anyPods, (nodes, pods) => {
      const index = indexOf(nodes);
      const facts = factsOf(pods, index);
      const { length } = placesOf(pods, nodes, false);
      assert.deepEqual(groundFor({ incoming: facts, running: facts, weather: false }, index), {
        nowhere: length === 0,
        mayPart: length > 1,
        mayNotJoin: false,
      });
    }),
  );
});

test('where pods are known, one that comes today joins them or goes elsewhere as its nodes tell', () => {
  fc.assert(
    fc.property(anyNodes, anyPods, anyPlaces, fc.boolean(), (nodes, comes, names, weather) => {
      const index = indexOf(nodes);
      const landing = placesOf(comes, nodes, weather);
      const facts = factsOf(comes, index);
      assert.deepEqual(groundFor({ incoming: facts, running: facts, places: new Set(names), weather }, index), {
        nowhere: landing.length === 0,
        mayPart: landing.some((name) => !names.includes(name)),
        mayNotJoin: !landing.some((name) => names.includes(name)),
      });
    }),
    { numRuns: 500 },
  );
});

test('a pod may be on each node that fits it and on no other', () => {
  fc.assert(
    fc.property(anyNodes, anyPods, anyName, (nodes, pods, name) => {
      const index = indexOf(nodes);
      assert.equal(mayLandOn(name, factsOf(pods, index), index), placesOf(pods, nodes, false).includes(name));
    }),
  );
});
