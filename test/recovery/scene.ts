import { type JsonObject, objectAt, stringAt } from '../../src/objects/json.ts';
import { claimUse } from '../../src/recovery/assemble.ts';
import type { ClaimUse } from '../../src/recovery/claim-use.ts';
import { INVENTORY_LISTS, Inventory, type InventoryList, isInventoryList } from '../../src/recovery/inventory.ts';

/** The time of every scene. */
export const NOW = Date.parse('2026-06-01T12:00:00Z');

/** A time so many seconds before that of the scene, as the API writes it. */
export function before(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

export interface Meta {
  readonly [key: string]: unknown;
}

export function node(
  name: string,
  { ready = 'True', since = 3600, ...status }: Meta & { ready?: string; since?: number } = {},
) {
  const { taints, annotations, ...rest } = status;
  return object(
    'v1',
    'Node',
    { name, ...(annotations === undefined ? {} : { annotations }) },
    {
      spec: { ...(taints === undefined ? {} : { taints }) },
      status: {
        conditions: [{ type: 'Ready', status: ready, lastTransitionTime: before(since) }],
        nodeInfo: { bootID: `boot-of-${name}` },
        ...rest,
      },
    },
  );
}

export function claim(
  name = 'data',
  { spec = {}, status = {}, ...metadata }: Meta & { spec?: object; status?: object } = {},
) {
  return object(
    'v1',
    'PersistentVolumeClaim',
    { namespace: 'shop', name, ...metadata },
    {
      spec: { accessModes: ['ReadWriteOnce'], volumeName: `pv-${name}`, storageClassName: 'disks', ...spec },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], ...status },
    },
  );
}

export function volume(name = 'data', spec: Meta = {}) {
  return object(
    'v1',
    'PersistentVolume',
    { name: `pv-${name}` },
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        claimRef: { namespace: 'shop', name },
        csi: { driver: 'disk.example.com', volumeHandle: `disk-${name}` },
        persistentVolumeReclaimPolicy: 'Delete',
        ...spec,
      },
      status: { phase: 'Bound' },
    },
  );
}

/** An export of a file server, which nothing attaches. */
export function nfs(name = 'data') {
  return volume(name, {
    accessModes: ['ReadWriteMany'],
    csi: undefined,
    nfs: { server: 'nfs.example.com', path: `/${name}` },
  });
}

export function attachment(
  nodeName: string,
  { name = 'data', status = { attached: true }, ...metadata }: Meta & { name?: string } = {},
) {
  return object(
    'storage.k8s.io/v1',
    'VolumeAttachment',
    {
      name: `csi-${name}-${nodeName}`,
      finalizers: ['external-attacher/disk-example-com'],
      ...metadata,
    },
    {
      spec: { attacher: 'disk.example.com', nodeName, source: { persistentVolumeName: `pv-${name}` } },
      status,
    },
  );
}

export interface PodScene {
  readonly on?: string;
  readonly of?: JsonObject;
  readonly claim?: string;
  readonly starting?: boolean;
  /** Its containers have ended. */
  readonly stopped?: boolean;
  /** How many seconds ago it was to have ended. */
  readonly overdue?: number;
  readonly metadata?: object;
  readonly status?: object;
}

export function pod(
  name: string,
  {
    on,
    of,
    claim: claimName = 'data',
    starting = false,
    stopped = false,
    overdue,
    metadata = {},
    status = {},
  }: PodScene = {},
) {
  const running = starting || stopped ? { waiting: { reason: 'ContainerCreating' } } : { running: {} };
  const going = overdue === undefined ? {} : { deletionTimestamp: before(overdue), deletionGracePeriodSeconds: 30 };
  return object(
    'v1',
    'Pod',
    {
      namespace: 'shop',
      name,
      labels: { app: 'web' },
      creationTimestamp: before(600),
      ...(of === undefined ? {} : { ownerReferences: [ownerReference(of)] }),
      ...going,
      ...metadata,
    },
    {
      spec: {
        ...(on === undefined ? {} : { nodeName: on }),
        containers: [{ name: 'main', image: 'main:1' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
      },
      status: {
        phase: starting ? 'Pending' : 'Running',
        conditions: [
          { type: 'PodScheduled', status: on === undefined ? 'False' : 'True', lastTransitionTime: before(600) },
          { type: 'Ready', status: starting || stopped ? 'False' : 'True' },
        ],
        containerStatuses: [{ name: 'main', state: running, ...(stopped ? { lastState: { terminated: {} } } : {}) }],
        ...status,
      },
    },
  );
}

export interface WorkloadScene extends Meta {
  readonly replicas?: number;
  readonly of?: JsonObject;
  readonly claim?: string;
  readonly spec?: object;
}

export function workload(
  kind: string,
  name: string,
  { replicas = 1, of, claim: claimName = 'data', spec = {}, ...metadata }: WorkloadScene = {},
) {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [], volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
  };
  const batch = kind === 'Job' || kind === 'CronJob';
  return object(
    batch ? 'batch/v1' : 'apps/v1',
    kind,
    {
      namespace: 'shop',
      name,
      resourceVersion: '1',
      ...(of === undefined ? {} : { ownerReferences: [ownerReference(of)] }),
      ...metadata,
    },
    {
      spec:
        kind === 'CronJob'
          ? { jobTemplate: { spec: { template } }, ...spec }
          : { ...(batch ? {} : { replicas }), template, ...spec },
    },
  );
}

/** One of an operator's kind. */
export function custom(kind: string, name: string, metadata: Meta = {}) {
  return object('db.example.com/v1', kind, { namespace: 'shop', name, ...metadata }, {});
}

/** A Deployment in the middle of a rollout: the old and the new ReplicaSet, one pod of each on nodes of their own. */
export function rollout(deployment: Meta = {}): readonly JsonObject[] {
  const web = workload('Deployment', 'web', deployment);
  const revision = (number: number) => ({ annotations: { 'deployment.kubernetes.io/revision': `${number}` } });
  const old = workload('ReplicaSet', 'web-old', { of: web, ...revision(1) });
  const next = workload('ReplicaSet', 'web-new', { of: web, ...revision(2) });
  return [
    ...[node('node-a'), node('node-b'), claim(), volume(), attachment('node-a'), web, old, next],
    pod('web-old-1', { on: 'node-a', of: old }),
    pod('web-new-1', { on: 'node-b', of: next, starting: true }),
  ];
}

export function ownerReference({ apiVersion, kind, metadata }: JsonObject): object {
  const { name, uid } = metadata as { name: string; uid: string };
  return { apiVersion, kind, name, uid, controller: true };
}

function object(apiVersion: string, kind: string, metadata: Meta & { name: string }, rest: object): JsonObject {
  return { apiVersion, kind, metadata: { uid: `${kind}-${metadata.name}`, ...metadata }, ...rest };
}

/** Which list an object stands in. */
export function listOf({ kind }: JsonObject): InventoryList | undefined {
  return Object.keys(INVENTORY_LISTS)
    .filter(isInventoryList)
    .find((list) => INVENTORY_LISTS[list].kind === kind);
}

export function inventoryOf(objects: readonly JsonObject[]): Inventory {
  const inventory = new Inventory();
  for (const one of objects) {
    const list = listOf(one);
    if (list !== undefined) inventory.take(list, one);
  }
  return inventory;
}

/** How the claim `shop/data` is used in a cluster of these objects. */
export function useIn(objects: readonly JsonObject[], name = 'data'): ClaimUse {
  return claimUse(inventoryOf(objects), { namespace: 'shop', name }, NOW);
}

export function nameOf(one: JsonObject): string {
  return stringAt(objectAt(one, 'metadata'), 'name') ?? '';
}
