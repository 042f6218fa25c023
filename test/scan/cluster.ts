import { putObject } from '../../src/lint/file-snapshot.ts';
import { type JsonObject, objectAt } from '../../src/objects/json.ts';
import { podFrom } from '../../src/objects/pod.ts';
import { RunningPods } from '../../src/scan/running-pods.ts';
import type { ScannedObjects } from '../../src/scan/scanned-cluster.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { type Described, manifest } from '../forecast/scene.ts';

/** Two nodes, and a disk for each of these claims of `shop`, as `kubectl get` shows them. */
export function storage(...claims: readonly string[]): readonly JsonObject[] {
  return [
    ...['node-1', 'node-2'].map((name) => ({
      ...{ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name } } },
    })),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { team: 'red' } } },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'disk.example.com' },
      spec: { attachRequired: true },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'disk' },
      provisioner: 'disk.example.com',
    },
    ...claims.flatMap((name) => boundClaim(name)),
  ];
}

export function boundClaim(name: string, accessMode = 'ReadWriteOnce'): readonly JsonObject[] {
  const volumeName = `pv-${name}`;
  const accessModes = [accessMode];
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volumeName },
      spec: {
        accessModes,
        claimRef: { namespace: 'shop', name },
        csi: { driver: 'disk.example.com', volumeHandle: name },
      },
      status: { phase: 'Bound' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'shop', name },
      spec: { accessModes, volumeName, storageClassName: 'disk' },
      status: { phase: 'Bound', accessModes },
    },
  ];
}

/** A workload as it is stored, and the ReplicaSet or the Job that it made, which its pods name. */
export function stored(described: Described = {}): readonly JsonObject[] {
  const workload = manifest(described);
  const { name = 'web', kind = 'Deployment' } = described;
  const uid = `uid-${name}`;
  const metadata = { ...objectAt(workload, 'metadata'), uid };
  const made = kind === 'Deployment' ? 'ReplicaSet' : kind === 'CronJob' ? 'Job' : undefined;
  if (made === undefined) return [{ ...workload, metadata }];
  const spec = made === 'Job' ? objectAt(objectAt(workload, 'spec'), 'jobTemplate')?.spec : workload.spec;
  const controller = { apiVersion: workload.apiVersion, kind, name, uid, controller: true };
  return [
    { ...workload, metadata },
    {
      ...{ apiVersion: made === 'Job' ? 'batch/v1' : 'apps/v1', kind: made, spec },
      metadata: { namespace: 'shop', name: `${name}-1`, uid: `${uid}-1`, ownerReferences: [controller] },
    },
  ];
}

/** How far a pod has come. */
export type Phase = 'ready' | 'starting' | 'pending' | 'terminating' | 'ended';

export interface DescribedPod {
  readonly name: string;
  readonly node?: string;
  readonly phase?: Phase;
  readonly owner?: readonly [kind: string, name: string];
  readonly claims?: readonly string[];
}

const SINCE = '2026-11-01T12:00:00Z';

/** A pod of the ReplicaSet `web-1`, on the claim data. */
export function pod({ name, node, phase = 'ready', owner = ['ReplicaSet', 'web-1'], claims = ['data'] }: DescribedPod) {
  const [kind, ownerName] = owner;
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const state = phase === 'ready' || phase === 'terminating' ? { running: {} } : { waiting: {} };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ namespace: 'shop', name, creationTimestamp: SINCE },
      ...(phase === 'terminating' && { deletionTimestamp: SINCE }),
      ownerReferences: [{ apiVersion: 'apps/v1', kind, name: ownerName, uid: 'u', controller: true }],
    },
    spec: { ...(node !== undefined && { nodeName: node }), containers: [{ name: 'main' }], volumes },
    status: {
      phase: phase === 'ended' ? 'Succeeded' : phase === 'ready' ? 'Running' : 'Pending',
      conditions: [{ type: 'PodScheduled', status: node === undefined ? 'False' : 'True', lastTransitionTime: SINCE }],
      containerStatuses: [{ name: 'main', state }],
    },
  };
}

/** The cluster that these objects are. */
export function scannedObjects(...objects: readonly JsonObject[]): ScannedObjects {
  const state = new ClusterState();
  const pods = new RunningPods(state);
  for (const object of objects) {
    if (object.kind === 'Pod') {
      const read = podFrom(object);
      if (read !== undefined) pods.add(read);
    } else putObject(state, object);
  }
  return { state, pods, unseen: [], unreadable: [] };
}
