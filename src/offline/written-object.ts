import type { Autoscaler } from '../facts/autoscaler.ts';
import { type ListName, termsOfVolume } from '../facts/cluster-state.ts';
import type { JsonObject } from '../facts/json.ts';
import { termsOfNearby } from '../facts/nearby.ts';
import { idOf, keyOf } from '../facts/object-key.ts';
import { claimNames, concernsOthers, numberedClaim, runsPods, type Workload } from '../facts/workload.ts';
import type { ReadObject } from './file-snapshot.ts';
import type { Manifest } from './read-manifests.ts';
import type { ClaimTemplate } from './written-cluster.ts';

/** One object of the input that may count for others. */
export interface WrittenObject {
  readonly file: string;
  readonly manifest: Manifest;
  /** As the API of today has it. */
  readonly object: JsonObject;
  readonly read: Exclude<ReadObject, { readonly list: 'nodes' | 'namespaces' }>;
  /** Its place among all of the input. */
  readonly nth: number;
  /** `kind namespace/name`, the namespace as it is written. */
  readonly id: string;
  /** By their ids: the claims that a workload may mount, the workload that an autoscaler scales. */
  readonly refersTo: () => readonly string[];
  /** Of a StatefulSet, by `namespace/<template>-<statefulset>`. */
  readonly claimTemplates: ReadonlyMap<string, ClaimTemplate>;
}

const OF_THE_CLUSTER: ReadonlySet<ListName> = new Set([
  'persistentvolumes',
  'storageclasses',
  'csidrivers',
  'runtimeclasses',
]);

/** Whether its id tells which object of a cluster it is, and no guess is needed. */
export function isPlaced({ read, id }: WrittenObject): boolean {
  return OF_THE_CLUSTER.has(read.list) || id.includes('/');
}

/** Its own id, and what stands for the claims that a StatefulSet makes. */
export function idsOf({ id, claimTemplates }: WrittenObject): readonly string[] {
  return [id, ...[...claimTemplates.keys()].map(idOfNumbered)];
}

/** What stands for `<prefix>-<ordinal>`, of whatever ordinal. */
export function idOfNumbered(prefix: string): string {
  return `PersistentVolumeClaim ${prefix}-*`;
}

export function idOfClaim(namespace: string, name: string): string {
  return idOf({ kind: 'PersistentVolumeClaim', namespace, name });
}

/** That of the claim, and that of whichever StatefulSet makes it. */
export function idsOfClaim(namespace: string, name: string): readonly string[] {
  const numbered = numberedClaim(name);
  const id = idOfClaim(namespace, name);
  return numbered === undefined ? [id] : [id, idOfNumbered(keyOf(namespace, numbered.prefix))];
}

export function targetOf({ namespace, target }: Autoscaler): string {
  return idOf({ ...target, namespace });
}

/** By what an object is looked up, beside its ids. */
export function termsOf({ read }: WrittenObject): readonly string[] {
  switch (read.list) {
    case 'persistentvolumes':
      return termsOfVolume(read.volume);
    case 'horizontalpodautoscalers':
      return [targetOf(read.autoscaler)];
    case 'storageclasses':
      return read.storageClass.isDefault ? [DEFAULT_CLASS] : [];
    case 'persistentvolumeclaims':
    case 'csidrivers':
    case 'runtimeclasses':
      return [];
    default:
      return termsOfWorkload(read.workload);
  }
}

export const DEFAULT_CLASS = 'default class';

export const ALL_WORKLOADS = 'workloads';

export function workloadsIn(namespace: string): string {
  return `workloads in ${namespace}`;
}

/** Nobody is in the way of others without pods. */
function termsOfWorkload(workload: Workload): readonly string[] {
  if (!concernsOthers(workload) || !runsPods(workload)) return [];
  const { namespace } = workload.metadata;
  const claims = claimNames(workload).map((name) => idOfClaim(namespace, name));
  return [...claims, ...termsOfNearby(workload), workloadsIn(namespace), ALL_WORKLOADS];
}
