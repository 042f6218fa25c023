import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { WorkloadFacts } from '../../src/facts/workload-facts.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { evaluateWorkload } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { disk, HOST, REQUIRED, ZONE } from './scene.ts';

/*
 * What questions cost is counted by the budget itself, at two sizes. What need not grow does not, and what does grows with
 * what is asked for and no faster.
 */

/** Sixty kinds of nodes: twenty racks in each of three zones. */
function* nodes(count: number): Iterable<JsonObject> {
  for (let n = 0; n < count; n++) {
    const labels = { [HOST]: `n${n}`, [ZONE]: `z${n % 3}`, rack: `r${n % 60}` };
    yield { apiVersion: 'v1', kind: 'Node', metadata: { name: `n${n}`, labels } };
  }
}

function volume(name: string, key: string, ...values: readonly string[]): JsonObject {
  const terms = [{ matchExpressions: [{ key, operator: 'In', values }] }];
  const spec = { storageClassName: 'local', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], local: {} };
  const nodeAffinity = { required: { nodeSelectorTerms: terms } };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec: { ...spec, nodeAffinity } };
}

function claims(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, n) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: `c${n}` },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local' },
  }));
}

const LOCAL = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'local' },
  provisioner: 'kubernetes.io/no-provisioner',
};

const OVERLAPPING = [LOCAL, volume('left', ZONE, 'z0', 'z1'), volume('right', ZONE, 'z1', 'z2')];
const ON_NODES = [LOCAL, ...Array.from({ length: 60 }, (_, n) => volume(`v${n}`, HOST, `n${n}`))];

interface Asked {
  readonly nodes?: number;
  readonly objects?: readonly JsonObject[];
  readonly claims?: readonly string[];
  readonly replicas?: number;
  readonly pod?: JsonObject;
}

function gathered(
  { nodes: count = 600, objects = [], claims = ['data'], replicas = 3, pod = {} }: Asked,
  most?: number,
) {
  const state = new ClusterState();
  for (const object of [...nodes(count), ...disk('data'), ...objects]) putObject(state, object);
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const template = { metadata: { labels: { app: 'web' } }, spec: { ...pod, volumes } };
  const workload = workloadFrom('Deployment', {
    metadata: { namespace: 'shop', name: 'web' },
    spec: { replicas, template },
  });
  return gatherFacts(workload, state, storageMatrix(), new Budget(most)).facts;
}

function found(facts: WorkloadFacts): readonly string[] {
  return evaluateWorkload(rules, facts.workload, forecast(facts)).map(({ rule }) => rule.id);
}

function spent(asked: Asked): number {
  const facts = gathered(asked);
  forecast(facts);
  assert.equal(facts.budget.gaveUp, false, 'it is decided');
  return facts.budget.spent;
}

const ITS_OWN = { labelSelector: { matchLabels: { app: 'web' } } };

function apart(...terms: readonly JsonObject[]): JsonObject {
  return { affinity: { podAntiAffinity: { [REQUIRED]: terms } } };
}

function spreadOver(...topologies: readonly string[]): JsonObject {
  return {
    topologySpreadConstraints: topologies.map((topologyKey) => ({
      ...ITS_OWN,
      topologyKey,
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
    })),
  };
}

function onNodes(expression: JsonObject): JsonObject {
  const nodeSelectorTerms = [{ matchExpressions: [expression] }];
  return { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms } } } };
}

const BY_ZONE = apart({ ...ITS_OWN, topologyKey: ZONE });

for (const [name, pod] of Object.entries({
  'anti-affinity by zone': BY_ZONE,
  'a spread over zones': spreadOver(ZONE),
  'affinity to their zone': { affinity: { podAffinity: { [REQUIRED]: [{ ...ITS_OWN, topologyKey: ZONE }] } } },
})) {
  test(`pods with ${name} are decided at the same cost on 600 nodes and on 5,000`, () => {
    assert.equal(spent({ pod, nodes: 5_000 }), spent({ pod, nodes: 600 }));
  });
}

/** How often more may be spent on the larger of two. */
interface Growth {
  readonly what: string;
  readonly of: (size: number) => Asked;
  readonly sizes: readonly [number, number];
  readonly most: number;
}

const named = (count: number): readonly string[] => claims(count).map((_, n) => `c${n}`);

const GROWTHS: readonly Growth[] = [
  {
    what: 'claims that may get either of two volumes with a zone in common',
    of: (size) => ({ objects: [...OVERLAPPING, ...claims(size)], claims: named(size) }),
    sizes: [8, 80],
    most: 10,
  },
  {
    what: 'claims that may get any of sixty local volumes',
    of: (size) => ({ objects: [...ON_NODES, ...claims(size)], claims: named(size) }),
    sizes: [10, 100],
    most: 10,
  },
  {
    what: 'terms that are alike',
    of: (size) => ({ pod: apart(...Array.from({ length: size }, () => ({ ...ITS_OWN, topologyKey: ZONE }))) }),
    sizes: [10, 100],
    most: 10,
  },
  {
    what: 'hostnames that pods keep off',
    of: (size) => ({
      nodes: 2_000,
      pod: onNodes({ key: HOST, operator: 'NotIn', values: Array.from({ length: size }, (_, n) => `n${n}`) }),
    }),
    sizes: [190, 1_900],
    most: 10,
  },
  {
    what: 'replicas spread over hosts and zones',
    of: (size) => ({ pod: spreadOver(HOST, ZONE), replicas: size, nodes: size }),
    sizes: [120, 1_200],
    most: 11,
  },
  {
    what: 'topologies by which pods keep apart',
    of: (size) => ({
      pod: apart(...Array.from({ length: size }, (_, n) => ({ ...ITS_OWN, topologyKey: `label-${n}` }))),
    }),
    sizes: [2, 20],
    most: 10,
  },
];

for (const { what, of, sizes, most } of GROWTHS) {
  const [few, many] = sizes;
  test(`${many} ${what} cost at most ${most} times what ${few} do`, () => {
    const [less, more] = [spent(of(few)), spent(of(many))];
    assert.ok(more <= most * less, `${less} operations for ${few}, ${more} for ${many}`);
  });
}

test('volumes that leave pods no place in common are no place at all', () => {
  const objects = [LOCAL, volume('left', ZONE, 'z0'), volume('right', ZONE, 'z1'), ...claims(2)];
  assert.deepEqual(found(gathered({ objects, claims: named(2) })), []);
});

const MANY_TOPOLOGIES = apart(...Array.from({ length: 2_000 }, (_, n) => ({ ...ITS_OWN, topologyKey: `label-${n}` })));

test('where the budget ends nothing is silent', () => {
  const ids = found(gathered({ pod: MANY_TOPOLOGIES }));
  assert.ok(ids.includes('claim-unknown'), ids.join());
});

test('whatever was found before the budget ended stands, and nothing else is found', () => {
  const unlimited = gathered({ pod: BY_ZONE });
  const whole = found(unlimited);
  const gathering = gathered({ pod: BY_ZONE }).budget.spent;
  const forecasting = unlimited.budget.spent - gathering;
  const tells = Array.from({ length: 40 }, (_, n) =>
    found(gathered({ pod: BY_ZONE }, gathering + Math.floor((forecasting * n) / 40))),
  );
  for (const ids of tells) {
    assert.equal(ids.at(-1), 'claim-unknown');
    assert.deepEqual(
      ids.slice(0, -1).filter((id) => !whole.includes(id)),
      [],
    );
  }
  assert.ok(
    tells.some((ids) => ids.length > 1),
    'a hazard stands',
  );
});

test('the same question costs the same each time', () => {
  const asked = { pod: spreadOver(HOST, ZONE), replicas: 500 };
  assert.equal(spent(asked), spent(asked));
});
