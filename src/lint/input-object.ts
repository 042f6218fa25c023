import type { Autoscaler } from '../objects/horizontal-pod-autoscaler.ts';
import type { JsonObject } from '../objects/json.ts';
import { KINDS, type Kind } from '../objects/kinds.ts';
import { idOf, keyOf } from '../objects/object-key.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { ReadObject } from '../objects/read-object.ts';
import { claimNames, concernsOthers, numberedClaim, runsPods, type Workload } from '../objects/workload.ts';
import { termsOfVolume } from '../snapshot/cluster-state.ts';
import { termsOfNearby } from '../snapshot/nearby-terms.ts';
import type { Manifest } from '../yaml/read-manifests.ts';

/** A claim as a StatefulSet makes it for each of its pods. */
export interface ClaimTemplate {
  readonly claim: PersistentVolumeClaim;
  readonly statefulSet: string;
}

/** One object of the input that may count for others. */
export interface InputObject {
  readonly file: string;
  readonly manifest: Manifest;
  /** The object as the API of today has it. */
  readonly object: JsonObject;
  readonly read: ReadObject<Exclude<Kind, 'Node' | 'Namespace'>>;
  /** Its place among all of the input. */
  readonly nth: number;
  /** `kind namespace/name`, the namespace as it is written. */
  readonly id: string;
  /** The ids of the claims that a workload may mount, or of the workload that an autoscaler scales. */
  readonly refersTo: () => readonly string[];
  /** The claim templates of a StatefulSet, by `namespace/<template>-<statefulset>`. */
  readonly claimTemplates: ReadonlyMap<string, ClaimTemplate>;
}

/** Whether its id tells which object of a cluster it is, and no guess is needed. */
export function isPlaced({ read, id }: InputObject): boolean {
  return !KINDS[read.kind].namespaced || id.includes('/');
}

/** Its own id, and what stands for the claims that a StatefulSet makes. */
export function idsOf({ id, claimTemplates }: InputObject): readonly string[] {
  return [id, ...[...claimTemplates.keys()].map(idOfNumbered)];
}

/** What stands for `<prefix>-<ordinal>`, of whatever ordinal. */
export function idOfNumbered(prefix: string): string {
  return `PersistentVolumeClaim ${prefix}-*`;
}

export function idOfClaim(namespace: string, name: string): string {
  return idOf({ kind: 'PersistentVolumeClaim', namespace, name });
}

/** The id of the claim, and the one by which a StatefulSet that makes the claim is found. */
export function idsOfClaim(namespace: string, name: string): readonly string[] {
  const numbered = numberedClaim(name);
  const id = idOfClaim(namespace, name);
  return numbered === undefined ? [id] : [id, idOfNumbered(keyOf(namespace, numbered.prefix))];
}

export function targetOf({ namespace, target }: Autoscaler): string {
  return idOf({ ...target, namespace });
}

/** The terms by which an object is looked up, beside its ids. */
export function termsOf({ read }: InputObject): readonly string[] {
  switch (read.kind) {
    case 'PersistentVolume':
      return termsOfVolume(read.value);
    case 'HorizontalPodAutoscaler':
      return [targetOf(read.value)];
    case 'StorageClass':
      return read.value.isDefault ? [DEFAULT_CLASS] : [];
    case 'PersistentVolumeClaim':
    case 'CSIDriver':
    case 'RuntimeClass':
      return [];
    default:
      return termsOfWorkload(read.value);
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
