import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Budget } from '../../src/budget.ts';
import { NodeSearch } from '../../src/facts/node-search.ts';
import type { PodFacts } from '../../src/facts/workload-facts.ts';
import { domainsSpread, domainsTaken, groundWithin, sharesDomain, spansDomains } from '../../src/forecast/topology.ts';
import { known } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Node, nodeFrom } from '../../src/objects/node.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { NODE } from '../../src/snapshot/domains.ts';
import { NodeIndex } from '../../src/snapshot/node-index.ts';
import { HOST, REQUIRED, ZONE } from './scene.ts';

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
    hostname: fc.constantFrom('its own', 'its own', 'its own', 'n0', undefined),
    unschedulable: fc.boolean(),
  })
  .map(({ name, pool, zone, region, hostname, unschedulable }) =>
    nodeFrom({
      metadata: {
        name,
        labels: { [HOST]: hostname === 'its own' ? name : hostname, pool, [ZONE]: zone, [REGION]: region },
      },
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

function indexOf(nodes: readonly Node[]): NodeSearch {
  const index = new NodeIndex();
  for (const node of nodes) index.set(node);
  return new NodeSearch(index, new Budget());
}

/** Pods that want a pool of nodes, or any, and what else they ask for. */
function podsOf(pool: string | undefined, nodes: NodeSearch, spec: JsonObject = {}): PodFacts {
  const template = { spec: { nodeSelector: pool === undefined ? {} : { pool }, ...spec } };
  return {
    workload: workloadFrom('Deployment', { spec: { template } }),
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

/** The name alone tells a node that is no more. */
interface Place {
  readonly name: string;
  readonly labels?: ReadonlyMap<string, string>;
}

function sameDomain(a: Place, b: Place, topologies: readonly string[]): boolean {
  return topologies.every((key) => a.labels?.get(key) === b.labels?.get(key));
}

/** Pods that have to share a domain with others. */
function heldIn(topologies: readonly string[]): JsonObject {
  return { affinity: { podAffinity: { [REQUIRED]: topologies.map((topologyKey) => ({ topologyKey })) } } };
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
      fc.boolean(),
      (nodes, topologies, comes, runs, names, weather, mayBeFirst) => {
        const index = indexOf(nodes);
        const ofPool = (pool: string | undefined) =>
          nodes.filter(({ labels }) => pool === undefined || labels.get('pool') === pool);
        const landing = ofPool(comes).filter(
          ({ unschedulable, labels }) => (!weather || !unschedulable) && topologies.every((key) => labels.has(key)),
        );
        const places = names?.map((name) => index.get(name) ?? { name });
        const sitting: readonly Place[] = places ?? ofPool(runs);
        const joined = pairs<Place>(sitting, landing).filter(([a, b]) => sameDomain(a, b, topologies));
        const isClosed = (place: Place) => joined.every(([at]) => !sameDomain(at, place, topologies));
        const isSeen = ({ labels }: Place) => topologies.some((key) => labels?.has(key));
        const found = groundWithin(
          topologies,
          mayBeFirst,
          {
            incoming: podsOf(comes, index, heldIn(topologies)),
            running: podsOf(runs, index),
            sameRevision: false,
            staying: 1,
            weather,
            places: names && new Set(names),
          },
          index,
        );
        // A pod that nobody sees holds nobody.
        const first = places === undefined ? !sitting.every(isSeen) : !sitting.some(isSeen);
        const closed = places === undefined ? sitting.filter(isSeen).some(isClosed) : !first && sitting.every(isClosed);
        assert.equal(found.mayNotJoin, closed || (first && !mayBeFirst));
        const parted =
          places === undefined
            ? joined.filter(([a, b]) => a.name !== b.name)
            : joined.filter(([, b]) => !names?.includes(b.name));
        assert.equal(found.mayPart, parted.length > 0 || (first && mayBeFirst && landing.length > 0));
      },
    ),
    { numRuns: 500 },
  );
});

/** Two zones with a node of each pool, and where asked for a node without a zone. */
function twoZones(unzoned = false): NodeSearch {
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

function crowdOf({ staying, runs, places, sameRevision = false }: Crowded, nodes: NodeSearch) {
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
  assert.equal(domainsTaken(NODE, crowdOf({ staying: 4 }, nodes), nodes), 4);
});

test('nodes of one hostname are one domain', () => {
  const nodes = indexOf(['a', 'b'].map((name) => nodeFrom({ metadata: { name, labels: { [HOST]: 'a' } } })));
  assert.equal(domainsTaken(HOST, crowdOf({ staying: 1 }, nodes), nodes), 1);
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

test('a spread fills each zone with as many as it bears, and nodes without a zone are none', () => {
  const spread = (staying: number, most: number, minDomains: number, running: Partial<Crowded> = {}) => {
    const constraint = { topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', minDomains };
    const nodes = twoZones(true);
    const incoming = podsOf(undefined, nodes, { topologySpreadConstraints: [constraint] });
    const [first] = incoming.workload.template.spread;
    assert.ok(first);
    const crowd = { ...crowdOf({ staying, ...running }, nodes), incoming };
    return domainsSpread({ constraint: first, most }, crowd, nodes);
  };
  assert.equal(spread(2, 1, 3), 2);
  assert.equal(spread(2, 1, 2), undefined);
  assert.equal(spread(4, 2, 3), 2);
  assert.equal(spread(3, 2, 3), undefined);
  assert.equal(spread(4, 2, 3, { places: ['gone'], sameRevision: true }), undefined);
});
