import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import type { Cause } from '../../src/forecast/reasons.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { ListName, WorkloadKind } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { deepFrozen } from '../deep-frozen.ts';
import { type SeenForecast, seen } from './seen.ts';

export const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
export const HOST = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
export const POOL = 'cloud.google.com/gke-nodepool';
export const SELF = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: HOST };
export const TOGETHER = { affinity: { podAffinity: { [REQUIRED]: [SELF] } } };
export const APART = { affinity: { podAntiAffinity: { [REQUIRED]: [SELF] } } };

/** A workload: by default the Deployment web of one replica, on the claim data. */
export interface Described {
  readonly kind?: WorkloadKind;
  readonly name?: string;
  readonly metadata?: JsonObject;
  readonly replicas?: number;
  readonly spec?: JsonObject;
  readonly pod?: JsonObject;
  readonly claims?: readonly string[];
  readonly volumes?: readonly JsonObject[];
}

/** What there is beside it, on disks for one node called data and more. */
export interface Around {
  /** By name, as `node` reads it. */
  readonly nodes?: readonly string[];
  readonly cordoned?: readonly string[];
  readonly objects?: readonly JsonObject[];
  readonly others?: readonly Described[];
  readonly unlisted?: ListName;
  /** As it was until now. */
  readonly before?: Described | undefined;
  /** The nodes on which its pods are. */
  readonly places?: readonly string[] | undefined;
}

export function manifest(described: Described): JsonObject {
  const { kind = 'Deployment', name = 'web', metadata, replicas, spec, pod, claims = ['data'] } = described;
  const mounted = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const volumes = [...mounted, ...(described.volumes ?? [])];
  const template = { metadata: { labels: { app: name } }, spec: { ...pod, volumes } };
  const run = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
  return {
    apiVersion: kind === 'CronJob' || kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { namespace: 'shop', name, ...metadata },
    spec: { ...(replicas !== undefined && { replicas }), ...run, ...spec },
  };
}

/** `a1` is in the zone a, and `ba1` in that zone too, of the pool b. */
export function node(name: string, spec: JsonObject = {}): JsonObject {
  const [, pool, zone] = /^([a-z]?)([a-z])\d*$/.exec(name) ?? [];
  const labels = { [HOST]: name, ...(zone && { [ZONE]: zone }), ...(pool && { [POOL]: pool }) };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec };
}

/** A node of which nobody says in which zone it is. */
export function unzoned(name: string, labels: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [HOST]: name, ...labels } } };
}

export function disk(name: string, accessMode = 'ReadWriteOnce'): readonly JsonObject[] {
  const spec = { accessModes: [accessMode], csi: { driver: 'd', volumeHandle: name } };
  const claim = { accessModes: [accessMode], volumeName: name };
  return [
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'shop', name }, spec: claim },
  ];
}

/** What is foretold of a workload in a small cluster. */
export function foretold(described: Described = {}, around: Around = {}): SeenForecast {
  const { nodes = ['a1', 'a2', 'b1'], cordoned = [], objects = [], others = [], unlisted, before, places } = around;
  const state = new ClusterState((list) => (list === unlisted ? unknown(`${list} are not listed`) : known(true)));
  for (const name of nodes) putObject(state, node(name, { unschedulable: cordoned.includes(name) }));
  for (const object of [...disk('data'), ...disk('more'), ...objects, ...others.map(manifest)]) {
    putObject(state, object);
  }
  const factsOf = (of: Described) => {
    const workload = workloadFrom(of.kind ?? 'Deployment', manifest(of));
    return deepFrozen(gatherFacts(workload, state, storageMatrix(), new Budget()).facts);
  };
  return seen(forecast(factsOf(described), { before: before && factsOf(before), places: places && new Set(places) }));
}

/** Why pods of the next rollout wait. */
export function causes({ certain }: Pick<SeenForecast, 'certain'>): readonly Cause[] {
  return certain.rollout.reasons.map(({ cause }) => cause);
}

export const ELSEWHERE = { cause: 'volume-elsewhere', claims: ['data'] };
export const ONE_POD = { cause: 'one-pod', claims: ['data'] };
export const NO_NODE = { cause: 'no-node-left', claims: [] };
export const TOO_FEW = { cause: 'too-few-nodes', claims: [] };
export const PORT = { containers: [{ ports: [{ hostPort: 80 }], volumeMounts: [{ name: 'data' }] }] };
export const byZone = (kind: string): JsonObject => ({
  affinity: { [kind]: { [REQUIRED]: [{ ...SELF, topologyKey: ZONE }] } },
});

/** Another workload with the claim `data`. */
export const JOB: Described = { kind: 'Job', name: 'backup' };

/** A pod that has to share the node of one of this app. */
export function heldTo(app: string, more: JsonObject = {}): JsonObject {
  const term = { topologyKey: HOST, labelSelector: { matchLabels: { app } }, ...more };
  return { affinity: { podAffinity: { [REQUIRED]: [term] } } };
}

/** The claim scratch, whose volume will be made on the node of its first pod. */
export const LOCAL: readonly JsonObject[] = [
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'local' }, provisioner: 'topolvm.io' },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'scratch' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local' },
  },
];
