import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Budget } from '../../src/budget.ts';
import { NodeSearch } from '../../src/facts/node-search.ts';
import { landingNodes } from '../../src/forecast/placement.ts';
import { known } from '../../src/objects/fact.ts';
import { type Node, nodeFrom } from '../../src/objects/node.ts';
import { volumeFrom } from '../../src/objects/persistent-volume.ts';
import { podTemplateFrom } from '../../src/objects/pod-template.ts';
import { isIn, nodeSelectorTermFrom } from '../../src/objects/selector.ts';
import { NodeIndex } from '../../src/snapshot/node-index.ts';
import { matchingNodes } from '../naive-scheduler.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

const anyNode = fc
  .record({
    name: fc.integer({ min: 0, max: 15 }).map((n) => `n${n}`),
    zone: fc.constantFrom('a', 'b', undefined),
    pool: fc.constantFrom('db', 'web', undefined),
    tainted: fc.boolean(),
  })
  .map(({ name, zone, pool, tainted }) =>
    nodeFrom({
      metadata: { name, labels: { [HOST]: name, [ZONE]: zone, pool } },
      spec: { taints: tainted ? [{ key: 'dedicated', effect: 'NoSchedule' }] : [] },
    }),
  );
const anyNodes = fc.uniqueArray(anyNode, { selector: ({ name }) => name, maxLength: 12 });

const anyTerm = fc.record({
  key: fc.constantFrom('pool', ZONE, HOST),
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.array(fc.constantFrom('db', 'web', 'a', 'n0', 'n1', 'n2'), { minLength: 1 }),
});
const anyTerms = fc
  .array(anyTerm, { minLength: 1, maxLength: 3 })
  .map((terms) => terms.map((term) => ({ matchExpressions: [term] })));

const anyPlacement = fc.record({
  pool: fc.constantFrom('db', 'web', undefined),
  terms: fc.option(anyTerms, { nil: undefined }),
  tolerates: fc.boolean(),
  volumeTerms: fc.option(anyTerms, { nil: undefined }),
  volumeZone: fc.constantFrom('a', 'a__b', 'c', undefined),
});

function indexOf(nodes: readonly Node[]): NodeSearch {
  const index = new NodeIndex();
  for (const node of nodes) index.set(node);
  return new NodeSearch(index, new Budget());
}

test('pods land where every filter lets them, one node after the other', () => {
  fc.assert(
    fc.property(anyNodes, anyPlacement, (nodes, { pool, terms, tolerates, volumeTerms, volumeZone }) => {
      const required = 'requiredDuringSchedulingIgnoredDuringExecution';
      const template = podTemplateFrom({
        spec: {
          nodeSelector: pool === undefined ? undefined : { pool },
          affinity: terms && { nodeAffinity: { [required]: { nodeSelectorTerms: terms } } },
          tolerations: tolerates ? [{ operator: 'Exists' }] : [],
        },
      });
      const volume = volumeFrom({
        metadata: { labels: volumeZone === undefined ? {} : { [ZONE]: volumeZone } },
        spec: { nodeAffinity: volumeTerms && { required: { nodeSelectorTerms: volumeTerms } } },
      });
      const claim = {
        ...volume,
        identity: 'claim data',
        attachable: known(true),
        accessModes: known([]),
        onePod: known(false),
        onceBound: undefined,
        claimsOfDisk: [],
      };
      const expected = matchingNodes(nodes, {
        selectors: [
          ...(pool === undefined ? [] : [[{ expressions: [isIn('pool', pool)], fields: [] }]]),
          ...[terms, volumeTerms].flatMap((choice) => (choice === undefined ? [] : [choice.map(nodeSelectorTermFrom)])),
        ],
        zones: volumeZone === undefined ? [] : [new Map([[ZONE, volumeZone.split('__')]])],
        tolerations: template.tolerations,
        weather: false,
      }).map(({ name }) => name);
      const found = [...landingNodes({ workload: { template }, claims: [claim] }, indexOf(nodes))];
      assert.equal(found.length, Math.min(2, expected.length));
      assert.ok(found.every((name) => expected.includes(name)));
    }),
    { numRuns: 1_000 },
  );
});

test('a nodeName is where the pod runs, be there such a node or not', () => {
  const template = podTemplateFrom({ spec: { nodeName: 'gone', nodeSelector: { pool: 'none' } } });
  assert.deepEqual([...landingNodes({ workload: { template }, claims: [] }, indexOf([]))], ['gone']);
});
