import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import type { Claim } from '../../src/facts/claim.ts';
import { NodeSearch } from '../../src/facts/node-search.ts';
import type { PodFacts, WorkloadFacts } from '../../src/facts/workload-facts.ts';
import { ASSUMPTIONS, exclusivityOf, isAttachedToOne, openQuestions } from '../../src/forecast/assumption.ts';
import { type Fact, known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { NodeIndex } from '../../src/snapshot/node-index.ts';
import { HOST, REQUIRED } from './scene.ts';

const OPEN: Fact<never> = unknown('nobody knows');

const CLAIM: Claim = {
  name: 'data',
  identity: 'claim shop/data',
  accessModes: known(['ReadWriteOnce']),
  attachable: known(true),
  onePod: known(false),
  nodeAffinity: undefined,
  zones: new Map(),
  onceBound: undefined,
  claimsOfDisk: [],
};

/** What is known of a claim, and what it does to pods under each assumption about the rest. */
const claims: readonly (readonly [string, Partial<Claim>, readonly string[]])[] = [
  ['of one node', {}, ['one-node', 'one-node', 'one-node']],
  ['of one pod', { onePod: known(true) }, ['one-pod', 'one-pod', 'one-pod']],
  ['of perhaps one pod', { onePod: OPEN }, ['one-node', 'one-node', 'one-pod']],
  ['that is perhaps attached', { attachable: OPEN }, ['shared', 'one-node', 'one-node']],
  ['of unknown modes', { accessModes: OPEN }, ['shared', 'one-node', 'one-node']],
  [
    'of unknown modes that is not attached',
    { accessModes: OPEN, attachable: known(false) },
    ['shared', 'shared', 'shared'],
  ],
  ['of many nodes', { accessModes: known(['ReadWriteMany']), attachable: OPEN }, ['shared', 'shared', 'shared']],
  [
    'of which nothing is known',
    { accessModes: OPEN, attachable: OPEN, onePod: OPEN },
    ['shared', 'one-node', 'one-pod'],
  ],
];

for (const [name, facts, expected] of claims) {
  test(`a claim ${name} is ${expected.join(', ')} from the mildest assumption to the gravest`, () => {
    const found = ASSUMPTIONS.map((assumption) => exclusivityOf({ ...CLAIM, ...facts }, assumption));
    assert.deepEqual(found, expected);
  });
}

test('a claim that one pod may have is attached to one node all the same', () => {
  const claim = { ...CLAIM, accessModes: known(['ReadWriteOncePod'] as const), onePod: known(true) };
  assert.equal(isAttachedToOne(claim, 'harmless'), true);
  assert.equal(isAttachedToOne({ ...claim, attachable: known(false) }, 'one-pod'), false);
});

function pods(facts: Partial<PodFacts> = {}, podAffinity: JsonObject = {}): PodFacts {
  const template = { spec: { affinity: { podAffinity } } };
  return {
    workload: workloadFrom('Deployment', { metadata: { namespace: 'shop' }, spec: { template } }),
    claims: [CLAIM],
    ownClaims: [],
    budget: new Budget(),
    nodes: known(new NodeSearch(new NodeIndex(), new Budget())),
    namespaceLabels: known(new Map()),
    siblings: undefined,
    ...facts,
  };
}

function questions(facts: Partial<WorkloadFacts> = {}): readonly string[] {
  return openQuestions([{ ...pods(), ...NO_OTHERS, autoscaledTo: known(0), ...facts }]);
}

const NO_OTHERS = { otherUsers: { pods: [], unknown: [] }, nearby: { pods: [], unknown: [] } };

const byTeam = {
  [REQUIRED]: [{ topologyKey: HOST, labelSelector: {}, namespaceSelector: { matchLabels: { team: 'red' } } }],
};

test('no question is open where everything is known', () => {
  assert.deepEqual(questions(), []);
});

test('everything that is not known of a workload and of who shares its claims is a question, each once', () => {
  const claim = { ...CLAIM, accessModes: unknown('modes'), attachable: unknown('attaching'), onePod: unknown('modes') };
  const otherClaim = { ...CLAIM, attachable: unknown('attaching of the other') };
  const found = questions({
    claims: [claim],
    nodes: unknown('nodes'),
    autoscaledTo: unknown('autoscalers'),
    otherUsers: { pods: [pods({ claims: [otherClaim], nodes: unknown('nodes') })], unknown: ['jobs'] },
  });
  assert.deepEqual([...found].sort(), ['attaching', 'attaching of the other', 'autoscalers', 'jobs', 'modes', 'nodes']);
});

test('the labels of a namespace are a question only where affinity asks for them', () => {
  const namespaceLabels = unknown('labels');
  assert.deepEqual(questions(pods({ namespaceLabels })), []);
  assert.deepEqual(questions(pods({ namespaceLabels }, byTeam)), ['labels']);
});
