import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { NodeSearch } from '../../src/facts/node-search.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { WorkloadKind } from '../../src/objects/kinds.ts';
import { type Node, nodeFrom } from '../../src/objects/node.ts';
import { type PersistentVolume, volumeFrom } from '../../src/objects/persistent-volume.ts';
import { claimFrom, type PersistentVolumeClaim } from '../../src/objects/persistent-volume-claim.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { isIn } from '../../src/objects/selector.ts';
import { csiDriverFrom } from '../../src/objects/storage-class.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { NodeIndex } from '../../src/snapshot/node-index.ts';

/*
 * The answer to a request must cost the same in a cluster of any size. Every read of a property of a node, a claim or a
 * volume is counted, which a walk over all of them could not hide.
 */

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

class Reads {
  count = 0;

  counted<T extends object>(object: T): T {
    return new Proxy(object, {
      get: (target, key) => {
        this.count++;
        return Reflect.get(target, key);
      },
    });
  }
}

/** Nine machines to choose from: three zones, three sizes; every node has a name, a serial and an address of its own. */
function someNode(n: number): Node {
  const labels = {
    [HOST]: `n${n}`,
    [ZONE]: `z${n % 3}`,
    size: ['small', 'medium', 'large'][Math.floor(n / 3) % 3],
    serial: `s${n}`,
    'example.com/address': `10-0-${n >> 8}-${n & 255}`,
    ...(n === 0 ? { pool: 'db' } : {}),
    ...(n < 3 ? {} : { rented: `r${n}` }),
    ...(n < 100 || n % 4 > 0 ? {} : { leased: `l${n}` }),
  };
  const taints = n < 3 ? [] : [{ key: 'batch', value: 'yes', effect: 'NoSchedule' }];
  return nodeFrom({ metadata: { name: `n${n}`, labels }, spec: { taints } });
}

function cluster(nodes: number, claims: number) {
  const reads = new Reads();
  const state = new ClusterState();
  const { tables } = state;
  for (let n = 0; n < nodes; n++) tables.Node.set(`n${n}`, reads.counted(someNode(n)));
  const claim: PersistentVolumeClaim = claimFrom({ spec: { volumeName: 'disk', accessModes: ['ReadWriteOnce'] } });
  for (let n = 0; n < claims; n++) tables.PersistentVolumeClaim.set(`shop/c${n}`, reads.counted(claim));
  for (const [name, volume] of volumes()) {
    tables.PersistentVolume.set(name, reads.counted(volume));
    const { metadata } = claimFrom({ metadata: { namespace: 'shop', name } });
    tables.PersistentVolumeClaim.set(`shop/${name}`, reads.counted({ ...claim, metadata, volumeName: name }));
  }
  addPool(tables, reads, claims);
  tables.CSIDriver.set('d', csiDriverFrom({ metadata: { name: 'd' } }));
  tables.Namespace.set('shop', { name: 'shop', labels: new Map() });
  return { reads, state };
}

function volumes(): ReadonlyMap<string, PersistentVolume> {
  const pinnedTo = (key: string, value: string) => ({
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }] },
    },
  });
  const made = (spec: JsonObject, labels: JsonObject = {}) =>
    volumeFrom({ metadata: { labels }, spec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd' }, ...spec } });
  return new Map([
    ['disk', made({})],
    ['pinned', made(pinnedTo(HOST, 'n1'))],
    ['zonal', made(pinnedTo(ZONE, 'z1'))],
    ['labelled', made({}, { [ZONE]: 'z1' })],
    ['lost', made({}, { [ZONE]: 'nowhere' })],
  ]);
}

const TOLERATING = [{ key: 'batch', operator: 'Exists' }];
const nodeAffinity = (...matchExpressions: readonly JsonObject[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
});
const toNode = (...values: readonly string[]) => {
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values }] }];
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
};
const spread = {
  topologySpreadConstraints: [
    {
      topologyKey: HOST,
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ],
};

interface Described {
  readonly kind?: WorkloadKind;
  readonly claim?: string;
  readonly spec?: JsonObject;
  /** An update of the same template but for its labels. */
  readonly updated?: boolean;
}

const workloads: Readonly<Record<string, Described>> = {
  'no constraints': { spec: { tolerations: TOLERATING } },
  'taints on most nodes': {},
  'a selector by hostname': { spec: { nodeSelector: { [HOST]: 'n2' } } },
  'a selector by hostname among nodes that are all alike': {
    spec: { nodeSelector: { [HOST]: 'n7' }, tolerations: TOLERATING },
  },
  'affinity to a node by its name': { spec: { ...toNode('n7'), tolerations: TOLERATING } },
  'a selector by a serial that nobody has': { spec: { nodeSelector: { serial: 'none' } } },
  'a pool of one node': { spec: { nodeSelector: { pool: 'db' }, tolerations: TOLERATING } },
  'a pool that does not exist': { spec: { nodeSelector: { pool: 'none' }, tolerations: TOLERATING } },
  'a selector by zone and size': { spec: { nodeSelector: { [ZONE]: 'z1', size: 'small' }, tolerations: TOLERATING } },
  'affinity to the zone': {
    spec: { ...nodeAffinity({ key: ZONE, operator: 'In', values: ['z0'] }), tolerations: TOLERATING },
  },
  'affinity away from a host': {
    spec: { ...nodeAffinity({ key: HOST, operator: 'NotIn', values: ['n0', 'n1'] }), tolerations: TOLERATING },
  },
  'an update of pods with affinity away from a host': {
    spec: { ...nodeAffinity({ key: HOST, operator: 'NotIn', values: ['n0', 'n1'] }), tolerations: TOLERATING },
    updated: true,
  },
  'a DaemonSet': { kind: 'DaemonSet', spec: { tolerations: TOLERATING } },
  'affinity to nodes of one zone without a label that most have': {
    spec: {
      ...nodeAffinity({ key: 'rented', operator: 'DoesNotExist' }),
      nodeSelector: { [ZONE]: 'z1' },
      tolerations: TOLERATING,
    },
  },
  'affinity to nodes with a label that few have': {
    spec: { ...nodeAffinity({ key: 'leased', operator: 'Exists' }), tolerations: TOLERATING },
  },
  'spread over nodes': { spec: { ...spread, tolerations: TOLERATING } },
  'spread over nodes with taints on most': { spec: spread },
  'a local volume': { claim: 'pinned' },
  'a volume of one zone by node affinity': { claim: 'zonal', spec: { tolerations: TOLERATING } },
  'a volume of one zone by label': { claim: 'labelled', spec: { tolerations: TOLERATING } },
  'a volume of a zone that does not exist': { claim: 'lost', spec: { tolerations: TOLERATING } },
  'a claim for one of a pool of volumes': { claim: 'pooled', spec: { tolerations: TOLERATING } },
  'a claim that does not exist': { claim: 'none', spec: { tolerations: TOLERATING } },
};

function readsFor(
  { reads, state }: ReturnType<typeof cluster>,
  { kind = 'Deployment', claim = 'disk', spec = {}, updated = false }: Described,
) {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { ...spec, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] },
  };
  const workload = workloadFrom(kind, { metadata: { namespace: 'shop' }, spec: { replicas: 2, template } });
  const factsNow = () => gatherFacts(workload, state, storageMatrix(), new Budget()).facts;
  const since = reads.count;
  forecast(factsNow(), { before: updated ? factsNow() : undefined });
  return reads.count - since;
}

/** A pool of volumes made by hand, as large as the cluster, none of which anybody has. */
function addPool(tables: ClusterState['tables'], reads: Reads, count: number): void {
  const free = volumeFrom({ spec: { accessModes: ['ReadWriteOnce'], nfs: {} } });
  for (let n = 0; n < count; n++) tables.PersistentVolume.set(`free${n}`, reads.counted({ ...free, name: `free${n}` }));
  const spec = { storageClassName: '', accessModes: ['ReadWriteOnce'] };
  tables.PersistentVolumeClaim.set('shop/pooled', claimFrom({ metadata: { namespace: 'shop', name: 'pooled' }, spec }));
}

/** Looking at every node would read some 2,000 properties at least. What is left goes by the kinds of nodes there are. */
const MOST_TIMES_MORE = 2;

/** Several nodes of each kind, as many as pods could be on. */
const small = () => arranged(60, 100);
const large = () => arranged(500, 1_000);

/** The first look-up arranges the nodes; it happens once. */
function arranged(nodes: number, claims: number): ReturnType<typeof cluster> {
  const all = cluster(nodes, claims);
  readsFor(all, {});
  return all;
}

for (const [name, workload] of Object.entries(workloads)) {
  test(`with ${name} no look-up walks over all nodes or all claims`, () => {
    const [few, many] = [readsFor(small(), workload), readsFor(large(), workload)];
    assert.ok(many <= MOST_TIMES_MORE * Math.max(few, 25), `${few} reads in a small cluster, ${many} in a large one`);
  });
}

test('a node that comes, changes or goes does not make the next look-up walk over all nodes', () => {
  const all = large();
  const { reads, state } = all;
  const churn = someNode(500);
  for (const change of [
    () => state.tables.Node.set('n500', reads.counted(churn)),
    () => state.tables.Node.set('n500', reads.counted({ ...churn, taints: [] })),
    () => state.tables.Node.delete('n500'),
  ]) {
    change();
    const many = readsFor(all, { spec: { tolerations: TOLERATING } });
    assert.ok(many < 200, `${many} reads`);
  }
});

test('nodes that differ in nothing but their hostname are not looked at one by one, however few they are', () => {
  const reads = new Reads();
  const nodes = new NodeIndex();
  for (let n = 0; n < 60; n++) {
    nodes.set(reads.counted(nodeFrom({ metadata: { name: `n${n}`, labels: { [HOST]: `n${n}` } } })));
  }
  const term = { expressions: [isIn('pool', 'none')], fields: [] };
  const query = { selectors: [[term]], zones: [], tolerations: [], countsTransient: false };
  new NodeSearch(nodes, new Budget()).find([query], 2); // arranges the nodes
  const before = reads.count;
  new NodeSearch(nodes, new Budget()).find([query], 2);
  assert.ok(reads.count - before < 60, `${reads.count - before} reads`);
});

test('the users of a claim are found without a look at the others', () => {
  const { reads, state } = large();
  for (let n = 0; n < 1_000; n++) {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: `c${n}` } }];
    const workload = workloadFrom('Deployment', {
      metadata: { namespace: 'shop', name: `w${n}` },
      spec: { template: { spec: { volumes } } },
    });
    state.tables.Deployment.set(`shop/w${n}`, reads.counted(workload));
  }
  const before = reads.count;
  const users = state.workloadsMounting('shop', 'c7');
  assert.equal(users.workloads.length, 1);
  assert.ok(reads.count - before < 10);
});
