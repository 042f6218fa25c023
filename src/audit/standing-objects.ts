import type { Kind, WorkloadKind } from '../objects/kinds.ts';
import { isWorkloadKind, WORKLOAD_KINDS } from '../objects/kinds.ts';
import { holdsVolumes, type Workload } from '../objects/workload.ts';
import type { ClusterTables } from '../snapshot/cluster-state.ts';

/** The kinds of objects that are judged as they stand. */
export type AuditedKind = WorkloadKind | 'PersistentVolumeClaim';

/** An object by its name, whether it is still there or not. */
export interface AuditedRef {
  readonly kind: AuditedKind;
  readonly namespace: string;
  readonly name: string;
}

export function isAuditedKind(kind: Kind): kind is AuditedKind {
  return kind === 'PersistentVolumeClaim' || isWorkloadKind(kind);
}

/** Every object that is there, which no review may walk over. */
export interface StandingObjects {
  /** Those whose pods hold volumes. */
  workloads(): Iterable<Workload>;
  /** Keys, as `namespace/name`. */
  claims(): Iterable<string>;
}

/** What the tables of a watched cluster hold. */
export function standingIn(tables: ClusterTables): StandingObjects {
  return {
    *workloads() {
      for (const kind of WORKLOAD_KINDS)
        for (const workload of tables[kind].values()) if (holdsVolumes(workload)) yield workload;
    },
    claims: () => tables.PersistentVolumeClaim.keys(),
  };
}

/** The object that a key of a list names. */
export function refOfKey(kind: AuditedKind, key: string): AuditedRef {
  const slash = key.indexOf('/');
  return { kind, namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) };
}
