/**
 * Which scenario it is, in words. Everything else is built from this, so a scenario is made smaller by taking words
 * away, and a plan in a report is enough to run it again.
 */
export interface Plan {
  /** Seed and index: `1-17`. */
  readonly id: string;
  readonly kind: Kind;
  readonly action: Action;
  /** How many nodes its pods are meant for; the first of them is where the old pods are brought up. */
  readonly nodes: number;
  /** In the end; `from` in the beginning, where the action is a scale. */
  readonly replicas: number;
  readonly from: number;
  readonly strategy: StrategyName;
  readonly storage: StorageName;
  readonly traits: readonly Choice[];
}

export const KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob'] as const;
export type Kind = (typeof KINDS)[number];

/** `update` may or may not start a rollout; `create` is the steady state from the start. */
export const ACTIONS = ['update', 'scale', 'create'] as const;
export type Action = (typeof ACTIONS)[number];

/** A dimension and which of its forms: `self-affinity` by `expressions`. */
export interface Choice {
  readonly trait: string;
  readonly variant: string;
}

/** `surge/unavailable`, or the name of a strategy without numbers. */
export type StrategyName = string;

export const STORAGES = [
  'csi',
  'csi-without-driver-object',
  'csi-rwx',
  'csi-rox',
  'csi-rwop',
  'csi-superset',
  'csi-rwo-rox',
  'csi-no-attach',
  'fc',
  'iscsi',
  'migrated-aws',
  'migrated-gce',
  'migrated-gce-rwx',
  'migrated-azure',
  'migrated-azure-file',
  'migrated-cinder',
  'migrated-vsphere',
  'migrated-portworx',
  'inline-aws',
  'inline-gce',
  'inline-gce-read-only',
  'inline-azure',
  'inline-azure-file',
  'inline-cinder',
  'inline-vsphere',
  'inline-portworx',
  'local',
  'nfs',
  'host-path',
] as const;
export type StorageName = (typeof STORAGES)[number];
