import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Budget } from '../../src/budget.ts';
import { NodeSearch } from '../../src/facts/node-search.ts';
import type { Node } from '../../src/objects/node.ts';
import { isIn, type NodeSelectorTerm, type Requirement } from '../../src/objects/selector.ts';
import { NodeIndex } from '../../src/snapshot/node-index.ts';
import type { NodeQuery } from '../../src/snapshot/node-query.ts';
import { matchingNodes } from '../naive-scheduler.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

const EVERYWHERE: NodeQuery = { selectors: [], zones: [], tolerations: [], countsTransient: false };

function node(name: string, labels: Readonly<Record<string, string>> = {}, taints: Node['taints'] = []): Node {
  return { name, labels: new Map([[HOST, name], ...Object.entries(labels)]), taints, unschedulable: false };
}

function names(nodes: Iterable<Node>): readonly string[] {
  return [...nodes].map(({ name }) => name).sort();
}

function indexOf(nodes: readonly Node[]): NodeIndex {
  const index = new NodeIndex();
  for (const item of nodes) index.set(item);
  return index;
}

function searchIn(index: NodeIndex): NodeSearch {
  return new NodeSearch(index, new Budget(Number.POSITIVE_INFINITY));
}

function find(index: NodeIndex, query: NodeQuery, limit: number, except?: ReadonlySet<string>): readonly Node[] {
  return searchIn(index).find([query], limit, except);
}

function selecting(...expressions: readonly Requirement[]): NodeQuery {
  return { ...EVERYWHERE, selectors: [[{ expressions, fields: [] }]] };
}

test('a node that is set again has left its old labels behind', () => {
  const index = indexOf([node('a', { pool: 'db' })]);
  index.set(node('a', { pool: 'web' }));
  assert.equal(index.size, 1);
  assert.deepEqual(names(find(index, selecting(isIn('pool', 'db')), 9)), []);
  assert.deepEqual(names(find(index, selecting(isIn('pool', 'web')), 9)), ['a']);
});

test('a node that says the same again changes nothing, and one that has more room does', () => {
  const index = indexOf([{ ...node('a'), allocatable: new Map([['cpu', 4]]) }]);
  const versions = [4, 4, 8].map((cpu) => {
    index.set({ ...node('a'), allocatable: new Map([['cpu', cpu]]) });
    return index.version;
  });
  const [first = 0] = versions;
  assert.equal(versions[1], first);
  assert.ok((versions[2] ?? 0) > first);
});

test('what the nodes of a shape have for pods is what they say now', () => {
  const index = indexOf([{ ...node('a'), allocatable: new Map([['cpu', 4]]) }, node('b')]);
  const isOnSome = () => [...index.shapes()].map((shape) => index.allocatableIn(shape).isOnSome('cpu', 8));
  assert.deepEqual(isOnSome(), [true]);
  index.set({ ...node('a'), allocatable: new Map([['cpu', 8]]) });
  assert.deepEqual(isOnSome(), [false]);
});

test('a node that is deleted is found no more', () => {
  const index = indexOf([node('a'), node('b')]);
  index.delete('a');
  index.delete('never there');
  assert.deepEqual(names(find(index, EVERYWHERE, 9)), ['b']);
  assert.deepEqual([...index.names()], ['b']);
  assert.equal(index.get('a'), undefined);
  assert.equal(searchIn(index).fits('a', EVERYWHERE), false);
});

test('no more nodes are found than were asked for, and none of those left out', () => {
  const index = indexOf(['a', 'b', 'c'].map((name) => node(name)));
  assert.equal(find(index, EVERYWHERE, 2).length, 2);
  assert.deepEqual(names(find(index, EVERYWHERE, 2, new Set(['a', 'c']))), ['b']);
  assert.deepEqual(find(index, EVERYWHERE, 0), []);
});

test('a term without requirements matches no node, and neither does a choice without terms', () => {
  const index = indexOf([node('a')]);
  assert.deepEqual(find(index, { ...EVERYWHERE, selectors: [[{ expressions: [], fields: [] }]] }, 2), []);
  assert.deepEqual(find(index, { ...EVERYWHERE, selectors: [[]] }, 2), []);
});

test('a label with a value of its own on every node is compared on every node', () => {
  const index = indexOf(Array.from({ length: 200 }, (_, n) => node(`n${n}`, { serial: String(n) })));
  assert.deepEqual(names(find(index, selecting({ key: 'serial', operator: 'Gt', values: ['197'] }), 9)), [
    'n198',
    'n199',
  ]);
  assert.deepEqual(names(find(index, selecting(isIn('serial', '7', '8', '700')), 9)), ['n7', 'n8']);
});

test('every zone is looked at where each node has one of its own', () => {
  const index = indexOf(Array.from({ length: 200 }, (_, n) => node(`n${n}`, { [ZONE]: `z${n}` })));
  assert.deepEqual(names(find(index, { ...EVERYWHERE, zones: [new Map([[ZONE, ['z150', 'z151']]])] }, 9)), [
    'n150',
    'n151',
  ]);
});

const WORDS = ['a', 'b', 'c', '1', '20'];
const KEYS = [ZONE, 'topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/zone', 'pool', '__proto__'];

const anyName = fc.integer({ min: 0, max: 19 }).map((n) => `n${n}`);
const anyTaint = fc.record({
  key: fc.constantFrom('dedicated', 'node.kubernetes.io/not-ready'),
  value: fc.constantFrom('', 'db'),
  effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
});

/** Some nodes have a label of their own, others do not; with more than 64 of those it becomes an identifying one. */
function anyNode(name: fc.Arbitrary<string>): fc.Arbitrary<Node> {
  return fc
    .record({
      name,
      labels: fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...WORDS)), {
        selector: ([key]) => key,
      }),
      serial: fc.option(fc.integer({ min: 0, max: 500 }).map(String), { nil: undefined }),
      taints: fc.array(anyTaint, { maxLength: 2 }),
      unschedulable: fc.boolean(),
    })
    .map(({ name: called, labels, serial, taints, unschedulable }) => ({
      name: called,
      labels: new Map([[HOST, called], ...labels, ...(serial === undefined ? [] : [['serial', serial] as const])]),
      taints,
      unschedulable,
    }));
}

const anyRequirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc.record({
    key: fc.constantFrom(...KEYS, 'serial'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
    values: fc.array(fc.oneof(fc.constantFrom(...WORDS), fc.integer({ min: 0, max: 500 }).map(String)), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  fc.record({
    key: fc.constant(HOST),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.array(anyName, { maxLength: 5 }),
  }),
);

const anyTerm: fc.Arbitrary<NodeSelectorTerm> = fc.record({
  expressions: fc.array(anyRequirement, { maxLength: 2 }),
  fields: fc.array(
    fc.record({
      key: fc.constant('metadata.name'),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.array(anyName, { maxLength: 5 }),
    }),
    { maxLength: 1 },
  ),
});

const anyQuery: fc.Arbitrary<NodeQuery> = fc.record({
  selectors: fc.array(fc.array(anyTerm, { maxLength: 2 }), { maxLength: 2 }),
  zones: fc.array(
    fc
      .uniqueArray(
        fc.tuple(fc.constantFrom(...KEYS.slice(0, 3)), fc.array(fc.constantFrom(...WORDS), { minLength: 1 })),
        {
          selector: ([key]) => key,
          maxLength: 2,
        },
      )
      .map((entries) => new Map(entries)),
    { maxLength: 2 },
  ),
  tolerations: fc.array(
    fc.record({
      key: fc.constantFrom('', 'dedicated', 'node.kubernetes.io/not-ready', 'node.kubernetes.io/unschedulable'),
      operator: fc.constantFrom('Exists', 'Equal'),
      value: fc.constantFrom('', 'db'),
      effect: fc.constantFrom('', 'NoSchedule'),
    }),
    { maxLength: 2 },
  ),
  countsTransient: fc.boolean(),
});

test('in a crowd with labels of every kind the index finds what a look at every node finds', () => {
  const many = Array.from({ length: 150 }, (_, n) => n);
  const crowd = fc.tuple(...many.map((n) => anyNode(fc.constant(`n${n}`))));
  fc.assert(
    fc.property(crowd, fc.array(anyQuery, { minLength: 5, maxLength: 5 }), (nodes, queries) => {
      const index = indexOf(nodes);
      for (const query of queries) {
        const fitting = matchingNodes(nodes, query);
        assert.deepEqual(names(find(index, query, 999)), names(fitting));
        assert.deepEqual(names(nodes.filter(({ name }) => searchIn(index).fits(name, query))), names(fitting));
      }
    }),
    { numRuns: 40 },
  );
});

const anyAlike = fc
  .record({
    name: anyName,
    pool: fc.constantFrom('db', 'web'),
    zone: fc.constantFrom('a', 'b'),
    unschedulable: fc.boolean(),
    health: fc.subarray(['node.kubernetes.io/not-ready', 'dedicated'] as const),
  })
  .map(({ name, pool, zone, unschedulable, health }) => ({
    ...node(name, { pool, [ZONE]: zone }),
    taints: health.map((key) => ({ key, value: '', effect: 'NoSchedule' })),
    unschedulable,
  }));

function anyChanges(some: fc.Arbitrary<Node>) {
  const change = fc.oneof(
    some.map((item) => ({ set: item })),
    anyName.map((name) => ({ delete: name })),
    anyQuery.map((query) => ({ query })),
  );
  return fc.array(change, { maxLength: 60, size: 'max' });
}

for (const [kind, some] of Object.entries({ 'of any kind': anyNode(anyName), 'that are nearly alike': anyAlike })) {
  test(`of nodes ${kind}, as they come and go, the index finds what a look at every node finds`, () => {
    fc.assert(
      fc.property(anyChanges(some), (changes) => {
        const index = new NodeIndex();
        const search = searchIn(index);
        const plain = new Map<string, Node>();
        for (const step of changes) {
          if ('set' in step) {
            index.set(step.set);
            plain.set(step.set.name, step.set);
          } else if ('delete' in step) {
            index.delete(step.delete);
            plain.delete(step.delete);
          } else {
            const fitting = matchingNodes([...plain.values()], step.query);
            assert.deepEqual(names(search.find([step.query], 99)), names(fitting));
            assert.equal(search.find([step.query], 2).length, Math.min(2, fitting.length));
          }
        }
        assert.equal(index.size, plain.size);
      }),
      { numRuns: 300 },
    );
  });
}

test('a label with many values still names the node that is left when another with the same value has gone', () => {
  const index = indexOf(Array.from({ length: 200 }, (_, n) => node(`n${n}`, { serial: String(n % 100) })));
  index.delete('n7');
  index.delete('n8');
  index.delete('n108');
  assert.deepEqual(names(find(index, selecting(isIn('serial', '7', '8')), 9)), ['n107']);
});

test('of nodes that have one or another of two labels with many values those with the one are found', () => {
  const rented = Array.from({ length: 100 }, (_, n) => node(`r${n}`, { rented: String(n) }));
  const owned = Array.from({ length: 100 }, (_, n) => node(`o${n}`, { owned: String(n) }));
  const index = indexOf([...rented, ...owned]);
  for (const [key, nodes] of Object.entries({ rented, owned })) {
    assert.deepEqual(names(find(index, selecting({ key, operator: 'Exists', values: [] }), 999)), names(nodes));
  }
});
