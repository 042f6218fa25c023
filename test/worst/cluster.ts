import type { JsonObject } from '../../src/objects/json.ts';
import { type ClusterSize, clusterObjects } from '../bench/cluster.ts';
import { deploymentOf, type Part } from './pods.ts';

/** The size that the bound of a single request is for. */
export const WORST: ClusterSize = { nodes: 5_000, claims: 100_000 };

/** Where the worst requests come from: denied there what is denied, and repaired. */
export const NAMESPACE = 'strict';

/** Where workloads wait for claims that are not there yet; no affinity looks into it. */
export const WAITING = 'waiting';

/** Racks: too many for a shape of nodes, and each with ten of 5,000. */
export const RACK = 'example.com/rack';
export const RACKS = 500;

export const ZONE = 'topology.kubernetes.io/zone';
export const HOSTNAME = 'kubernetes.io/hostname';

/** Whole numbers by which `Gt` and `Lt` tell nodes: of its shape, and of the node alone. */
export const GENERATION = 'example.com/generation';
export const SERIAL = 'example.com/serial';

/** Labels by each of which nodes are in a few domains. */
export const TOPOLOGIES = Array.from({ length: 8 }, (_, n) => `example.com/topology-${n}`);

/** Names of claims by how many volumes they may get, each 200 times; `late-300` and `late-4000` are not there. */
export const CLAIMS = {
  /** One of two volumes, which have a zone in common. */
  overlap: names('overlap'),
  /** One of 60 local volumes. */
  local: names('local'),
  /** One of 64 volumes, each of which may be on some of the racks. */
  wide: names('wide'),
  /** Made in a zone by the driver of EBS. */
  zonal: names('zonal'),
  /** One for one pod. */
  lone: names('lone'),
  /** Mounted by workloads with thousands of terms. */
  shared: names('shared'),
} as const;

function names(prefix: string): readonly string[] {
  return Array.from({ length: 200 }, (_, n) => `${prefix}-${n}`);
}

/**
 * Everything that makes a look at the cluster expensive: nodes of 60 shapes with labels of every kind, as many free
 * volumes as are looked at, claims that may get any of them, and neighbours who have written long lists themselves.
 */
export function* worstCluster(size: ClusterSize = WORST): Iterable<JsonObject> {
  for (const object of clusterObjects(size)) if (object.kind !== 'Node') yield object;
  for (let n = 0; n < size.nodes; n++) yield nodeOf(n);
  for (const name of [NAMESPACE, WAITING]) {
    const labels = { 'rwo-guard.dev/mode': 'enforce', 'rwo-guard.dev/mutate': 'auto', team: 'red' };
    yield { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  }
  yield* storage();
  yield* neighbours();
}

const POOLS = 5;
const ZONES = 3;
const SIZES = 4;

/** The last two pools are tainted, so that tolerations matter. */
function nodeOf(n: number): JsonObject {
  const [pool, zone, size] = [n % POOLS, Math.floor(n / POOLS) % ZONES, Math.floor(n / POOLS / ZONES) % SIZES];
  const shape = n % (POOLS * ZONES * SIZES);
  const labels = {
    [HOSTNAME]: `node-${n}`,
    [ZONE]: `zone-${zone}`,
    'topology.kubernetes.io/region': 'region',
    'kubernetes.io/os': 'linux',
    pool: `pool-${pool}`,
    'node.kubernetes.io/instance-type': `size-${size}`,
    [RACK]: `rack-${n % RACKS}`,
    [GENERATION]: `${shape}`,
    [SERIAL]: `${n}`,
    ...Object.fromEntries(TOPOLOGIES.map((key, at) => [key, `${shape % (at + 2)}`])),
  };
  const taints = pool < 3 ? [] : [{ key: 'dedicated', value: `pool-${pool}`, effect: 'NoSchedule' }];
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: `node-${n}`, labels }, spec: { taints } };
}

const BY_HAND = 'kubernetes.io/no-provisioner';

function* storage(): Iterable<JsonObject> {
  for (const [name, provisioner] of [
    ['zonal', 'ebs.csi.aws.com'],
    ...['overlap', 'local', 'wide'].map((byHand) => [byHand, BY_HAND] as const),
  ] as const) {
    const volumeBindingMode = 'WaitForFirstConsumer';
    yield { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner, volumeBindingMode };
  }
  yield* [0, 1].map((n) => freeVolume('overlap', n, [isIn(ZONE, [`zone-${n}`, `zone-${n + 1}`])]));
  yield* Array.from({ length: 60 }, (_, n) => freeVolume('local', n, [isIn(HOSTNAME, [`node-${n}`])]));
  yield* Array.from({ length: 64 }, (_, n) => {
    const racks = Array.from({ length: 100 }, (_, at) => `rack-${(n * 7 + at) % RACKS}`);
    return freeVolume('wide', n, [isIn(RACK, racks), isIn(ZONE, [`zone-${n % ZONES}`])]);
  });
  for (const storageClassName of ['overlap', 'local', 'wide', 'zonal'] as const) {
    yield* CLAIMS[storageClassName].map((name) => claimOf(name, { storageClassName }));
  }
  yield* CLAIMS.lone.map((name) => claimOf(name, { accessModes: ['ReadWriteOncePod'] }));
  yield* CLAIMS.shared.map((name) => claimOf(name));
}

function freeVolume(storageClassName: string, n: number, matchExpressions: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${storageClassName}-${n}` },
    spec: {
      storageClassName,
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      csi: { driver: 'disk.example.com', volumeHandle: `${storageClassName}-${n}` },
      nodeAffinity: { required: { nodeSelectorTerms: matchExpressions.map((one) => ({ matchExpressions: [one] })) } },
    },
  };
}

export function claimOf(name: string, spec: JsonObject = {}, namespace = NAMESPACE): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'disk',
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  };
}

export function isIn(key: string, values: readonly string[]): JsonObject {
  return { key, operator: 'In', values };
}

/** As many workloads in one namespace as are compared with affinity, and as many users of one claim as are looked at. */
function* neighbours(): Iterable<JsonObject> {
  for (let n = 0; n < 900; n++) yield deploymentOf(`bystander-${n}`, [{ labels: { app: 'bystander', n: `${n}` } }]);
  for (let n = 0; n < 40; n++) yield deploymentOf(`user-${n}`, [longLists(n)]);
  for (let n = 0; n < 4_000; n++) {
    const claims = ['late-4000', ...(n < 300 ? ['late-300'] : [])];
    yield deploymentOf(`waiting-${n}`, [{ claims }], { namespace: WAITING });
  }
  for (let n = 0; n < 1_000; n++) {
    yield {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { namespace: NAMESPACE, name: `autoscaler-${n}` },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: n,
        maxReplicas: n * 2,
      },
    };
  }
}

/** What a neighbour may have written who wanted others to pay for it. */
function longLists(n: number): Part {
  return {
    replicas: 3,
    labels: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`label-${at}`, `${n}`])),
    claims: CLAIMS.shared,
    antiAffinity: Array.from({ length: 300 }, (_, at) => ({
      topologyKey: TOPOLOGIES[at % TOPOLOGIES.length] ?? ZONE,
      labelSelector: { matchExpressions: [isIn(`label-${at}`, [`${at}`])] },
    })),
    nodeTerms: Array.from({ length: 300 }, (_, at) => ({
      matchExpressions: [{ key: GENERATION, operator: 'Gt', values: [`${100 + at}`] }],
    })),
  };
}
