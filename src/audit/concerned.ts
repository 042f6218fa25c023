import type { Fact } from '../objects/fact.ts';
import { isWorkloadKind } from '../objects/kinds.ts';
import { keyOf } from '../objects/object-key.ts';
import { diskOf, type PersistentVolume } from '../objects/persistent-volume.ts';
import { claimNames, type Workload } from '../objects/workload.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import type { Change } from './changes.ts';
import { type AuditedRef, isAuditedKind, refOfKey, type StandingObjects } from './standing-objects.ts';

/** Whom a change concerns. */
export type Concerned = readonly AuditedRef[] | 'all workloads' | 'everything';

/** What tells whom a change concerns. */
export interface Around {
  readonly snapshot: ClusterSnapshot;
  readonly standing: StandingObjects;
  /** The claims of a workload as it was judged last, for those that it mounts no more. */
  readonly mounted: (ref: AuditedRef) => readonly string[];
}

/**
 * The objects of which something else may be found now: the one that changed, and those that share a claim or a disk with it.
 * Who is concerned in a way that no look-up finds, as by anti-affinity to pods of another, is judged when everything is.
 */
export function concernedBy({ kind, key }: Change, around: Around): Concerned {
  if (key === undefined) return isAuditedKind(kind) || kind === 'PersistentVolume' ? 'everything' : allOf(kind);
  switch (kind) {
    case 'PersistentVolumeClaim':
      return withUsers(refOfKey(kind, key), [refOfKey(kind, key).name], around);
    case 'PersistentVolume':
      return usersOfVolume(key, around.snapshot);
    case 'HorizontalPodAutoscaler':
      return targetOf(key, around.snapshot);
    case 'Namespace':
      return inNamespace(key, around);
    case 'Node':
    case 'RuntimeClass':
    case 'StorageClass':
    case 'CSIDriver':
      return allOf(kind);
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'ReplicaSet':
    case 'Job':
    case 'CronJob': {
      const ref = refOfKey(kind, key);
      const workload = around.snapshot.get(kind, ref.namespace, ref.name);
      const claims = workload.known && workload.value !== undefined ? claimNames(workload.value) : [];
      return withUsers(ref, [...claims, ...around.mounted(ref)], around);
    }
    default:
      return kind satisfies never;
  }
}

/** Where pods run changes nothing about what a claim asks for. */
function allOf(kind: Change['kind']): Concerned {
  return kind === 'Node' || kind === 'RuntimeClass' || kind === 'HorizontalPodAutoscaler'
    ? 'all workloads'
    : 'everything';
}

function withUsers(ref: AuditedRef, claims: readonly string[], { snapshot }: Around): readonly AuditedRef[] {
  const users = [...new Set(claims)].flatMap((claim) => snapshot.workloadsMounting(ref.namespace, claim).workloads);
  return [ref, ...users.map(refOf)];
}

/** Users of its claim, and of the claims of every volume that is the same disk. One of nobody yet may be anybody's. */
function usersOfVolume(name: string, snapshot: ClusterSnapshot): Concerned {
  const volume = snapshot.get('PersistentVolume', '', name);
  if (!volume.known || volume.value === undefined) return [];
  if (volume.value.claimRef === undefined) return 'all workloads';
  const disk = diskOf(volume.value.source);
  const same: Fact<readonly PersistentVolume[]> | undefined =
    disk === undefined ? undefined : snapshot.volumesOnDisk(disk);
  const volumes = same?.known === true ? same.value : [volume.value];
  return volumes.flatMap(({ claimRef }) =>
    claimRef === undefined ? [] : snapshot.workloadsMounting(claimRef.namespace, claimRef.name).workloads.map(refOf),
  );
}

/** Of one that is gone nobody knows what it scaled. */
function targetOf(key: string, snapshot: ClusterSnapshot): Concerned {
  const { namespace, name } = refOfKey('Deployment', key);
  const autoscaler = snapshot.get('HorizontalPodAutoscaler', namespace, name);
  if (!autoscaler.known) return [];
  if (autoscaler.value === undefined) return workloadsIn(namespace, snapshot);
  const { target } = autoscaler.value;
  return isWorkloadKind(target.kind) ? [{ kind: target.kind, namespace, name: target.name }] : [];
}

function workloadsIn(namespace: string, snapshot: ClusterSnapshot): Concerned {
  const found = snapshot.workloadsIn([namespace]);
  return found.known ? found.value.map(refOf) : 'all workloads';
}

function inNamespace(name: string, { snapshot, standing }: Around): Concerned {
  const workloads = workloadsIn(name, snapshot);
  if (workloads === 'all workloads' || workloads === 'everything') return 'everything';
  const beginning = keyOf(name, '');
  const claims = [...standing.claims()].filter((key) => key.startsWith(beginning));
  return [...workloads, ...claims.map((key) => refOfKey('PersistentVolumeClaim', key))];
}

export function refOf({ kind, metadata: { namespace, name } }: Workload): AuditedRef {
  return { kind, namespace, name };
}
