import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { known } from '../../src/facts/fact.ts';
import type { PodFacts } from '../../src/facts/gather.ts';
import { type Node, nodeFrom } from '../../src/facts/node.ts';
import { NodeIndex } from '../../src/facts/node-index.ts';
import { podTemplateFrom } from '../../src/facts/pod-template.ts';
import { workloadFrom } from '../../src/facts/workload-from.ts';
import { domainsSpread, domainsTaken, groundWithin, sharesDomain, spansDomains } from '../../src/forecast/topology.ts';
import { HOST, ZONE } from './scene.ts';

/*
 * Where pods may be that share a domain with others, held against a look at every pair of nodes.
 */

const REGION = 'topology.kubernetes.io/region';
const POOLS = ['db', 'web'];

const anyNode = fc
  .record({
    name: fc.integer({ min: 0, max: 9 }).map((n) => `n${n}`),
    pool: fc.constantFrom(...POOLS),
    zone: fc.constantFrom('a', 'b', '', undefined),
    region: fc.constantFrom('a', 'b', undefined),
    unschedulable: fc.boolean(),
  })
  .map(({ name, pool, zone, region, unschedulable }) =>
    nodeFrom({
      metadata: { name, labels: { [HOST]: name, pool, [ZONE]: zone, [REGION]: region } },
      spec: { unschedulable },
    }),
  );
const anyNodes = fc.uniqueArray(anyNode, { selector: ({ name }) => name, maxLength: 6 });
const anyTopologies = fc.subarray([ZONE, REGION, HOST], { minLength: 1 });
const anyPool = fc.constantFrom(...POOLS, undefined);
const anyPlaces = fc.option(
  fc.uniqueArray(
    fc.integer({ min: 0, max: 9 }).map((n) => `n${n}`),
    { maxLength: 3 },
  ),
  {
    nil: undefined,
  },
);

function indexOf(nodes: readonly Node[]): NodeIndex {
  const index = new NodeIndex();
  for (const node of nodes) index.set(node);
  return index;
}

/** Pods that want a pool of nodes, or any. */
function podsOf(pool: string | undefined, nodes: NodeIndex): PodFacts {
  const template = { spec: { nodeSelector: pool === undefined ? {} : { pool } } };
  return {
    workload: workloadFrom('Deployment', { spec: { template } }),
    siblings: undefined,
    claims: [],
    ownClaims: [],
    bystanders: known([]),
    nodes: known(nodes),
    namespaceLabels: known(new Map()),
  };
}

/** The name alone tells a node that is no more. */
interface Place {
  readonly name: string;
  readonly labels?: ReadonlyMap<string, string>;
}

function sameDomain(a: Place, b: Place, topologies: readonly string[]): boolean {
  return topologies.every((key) => (key === HOST ? a.name === b.name : a.labels?.get(key) === b.labels?.get(key)));
}

function pairs<T>(some: readonly T[], others: readonly T[] = some): readonly (readonly [T, T])[] {
  return some.flatMap((one) => others.map((other) => [one, other] as const));
}

test('pods of one template may be in several domains, or several of them in one, as pairs of nodes tell', () => {
  fc.assert(
    fc.property(anyNodes, anyTopologies, anyPool, (nodes, topologies, pool) => {
      const index = indexOf(nodes);
      const landing = nodes.filter(({ labels }) => pool === undefined || labels.get('pool') === pool);
      const two = pairs(landing).filter(([a, b]) => a !== b);
      const same = two.filter(([a, b]) => sameDomain(a, b, topologies));
      assert.equal(spansDomains(topologies, podsOf(pool, index), index), same.length < two.length);
      assert.equal(sharesDomain(topologies, podsOf(pool, index), index), same.length > 0);
    }),
  );
});

test('a pod that has to share a domain may part from the others, or not join them, as pairs of nodes tell', () => {
  fc.assert(
    fc.property(
      anyNodes,
      anyTopologies,
      anyPool,
      anyPool,
      anyPlaces,
      fc.boolean(),
      (nodes, topologies, comes, runs, names, weather) => {
        const index = indexOf(nodes);
        const ofPool = (pool: string | undefined) =>
          nodes.filter(({ labels }) => pool === undefined || labels.get('pool') === pool);
        const landing = ofPool(comes).filter(({ unschedulable }) => !weather || !unschedulable);
        const places = names?.map((name) => index.get(name) ?? { name });
        const sitting: readonly Place[] = places ?? ofPool(runs);
        const joined = pairs<Place>(sitting, landing).filter(([a, b]) => sameDomain(a, b, topologies));
        const isClosed = (place: Place) => joined.every(([at]) => !sameDomain(at, place, topologies));
        const found = groundWithin(
          topologies,
          {
            incoming: podsOf(comes, index),
            running: podsOf(runs, index),
            sameRevision: false,
            staying: 1,
            weather,
            places: names && new Set(names),
          },
          index,
        );
        assert.equal(found.mayNotJoin, places === undefined ? sitting.some(isClosed) : sitting.every(isClosed));
        const parted =
          places === undefined
            ? joined.filter(([a, b]) => a.name !== b.name)
            : joined.filter(([, b]) => !names?.includes(b.name));
        assert.equal(found.mayPart, parted.length > 0);
      },
    ),
    { numRuns: 500 },
  );
});

/** Two zones with a node of each pool, and where asked for a node without a zone. */
function twoZones(unzoned = false): NodeIndex {
  const zoned = ['a', 'b'].flatMap((zone) =>
    POOLS.map((pool) => nodeFrom({ metadata: { name: zone + pool, labels: { [ZONE]: zone, pool } } })),
  );
  return indexOf([...zoned, ...(unzoned ? [nodeFrom({ metadata: { name: 'x', labels: { pool: 'db' } } })] : [])]);
}

interface Crowded {
  readonly staying: number;
  readonly runs?: string;
  readonly places?: readonly string[];
  readonly sameRevision?: boolean;
}

function crowdOf({ staying, runs, places, sameRevision = false }: Crowded, nodes: NodeIndex) {
  const incoming = podsOf(undefined, nodes);
  const running = podsOf(runs, nodes);
  return { incoming, running, staying, sameRevision, weather: false, places: places && new Set(places) };
}

/** Pods that keep out of each other's zones, and how many zones those that run may take, if all. */
const taken: readonly (readonly [string, Crowded, number | undefined])[] = [
  ['as many as zones', { staying: 2 }, 2],
  ['fewer than zones', { staying: 1 }, undefined],
  ['of a pool with a node in each zone', { staying: 2, runs: 'db' }, 2],
  ['of a pool that is nowhere', { staying: 2, runs: 'none' }, undefined],
  ['in each zone', { staying: 2, places: ['adb', 'bweb'] }, 2],
  ['in one zone', { staying: 2, places: ['adb', 'aweb'] }, undefined],
  ['in one zone and on a node that is gone', { staying: 2, places: ['adb', 'gone'] }, undefined],
  ['in one zone, while another is still to come', { staying: 2, places: ['adb'], sameRevision: true }, 2],
  ['on a node that is gone, while another is to come', { staying: 2, places: ['gone'], sameRevision: true }, undefined],
];

for (const [name, crowd, expected] of taken) {
  test(`pods ${name} ${expected === undefined ? 'leave a zone free' : 'may take every zone'}`, () => {
    const nodes = twoZones();
    assert.equal(domainsTaken(ZONE, crowdOf(crowd, nodes), nodes), expected);
  });
}

test('a node is one domain by itself, whatever its labels say', () => {
  const nodes = twoZones();
  assert.equal(domainsTaken(HOST, crowdOf({ staying: 4 }, nodes), nodes), 4);
});

test('a pod that keeps out of zones lands on a node without one', () => {
  const nodes = twoZones(true);
  assert.equal(domainsTaken(ZONE, crowdOf({ staying: 9 }, nodes), nodes), undefined);
});

test('pods that run keep the zones of others free where they may be in one zone alone', () => {
  const nodes = indexOf([
    nodeFrom({ metadata: { name: 'a', labels: { [ZONE]: 'a', pool: 'db' } } }),
    nodeFrom({ metadata: { name: 'b', labels: { [ZONE]: 'b', pool: 'web' } } }),
  ]);
  assert.equal(domainsTaken(ZONE, crowdOf({ staying: 2, runs: 'db' }, nodes), nodes), undefined);
});

test('a spread fills each zone up to its skew, and nodes without a zone are none', () => {
  const spread = (staying: number, more: Readonly<Record<string, unknown>>, running: Partial<Crowded> = {}) => {
    const constraint = { topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', ...more };
    const [first] = podTemplateFrom({ spec: { topologySpreadConstraints: [constraint] } }).spread;
    assert.ok(first);
    const nodes = twoZones(true);
    return domainsSpread(first, crowdOf({ staying, ...running }, nodes), nodes);
  };
  assert.equal(spread(2, { minDomains: 3 }), 2);
  assert.equal(spread(2, { minDomains: 2 }), undefined);
  assert.equal(spread(4, { minDomains: 3, maxSkew: 2 }), 2);
  assert.equal(spread(3, { minDomains: 3, maxSkew: 2 }), undefined);
  assert.equal(spread(4, { minDomains: 3, maxSkew: 2 }, { places: ['gone'], sameRevision: true }), undefined);
});
