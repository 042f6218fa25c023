import { KINDS, type WorkloadKind } from './kinds.ts';
import type { Metadata, OwnerReference } from './metadata.ts';
import { idOf } from './object-key.ts';
import type { PodTemplate } from './pod-template.ts';
import { type LabelSelector, matchesSelector } from './selector.ts';

export const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'] as const;

export type ConcurrencyPolicy = (typeof CONCURRENCY_POLICIES)[number];

/** A number of pods, or a percentage of the replicas. */
export type IntOrPercent =
  | { readonly type: 'int'; readonly value: number }
  | { readonly type: 'percent'; readonly value: number };

/** How pods of an old template make way for those of a new one. */
export type Strategy =
  | { readonly type: 'Recreate' }
  | { readonly type: 'RollingUpdate'; readonly maxSurge: IntOrPercent; readonly maxUnavailable: IntOrPercent }
  /** StatefulSet: one pod after the other goes before its successor of the same name comes; ordinals below stay. */
  | { readonly type: 'StatefulSetRolling'; readonly partition: number }
  /** DaemonSet: each pod is replaced on its node; surging, the new one comes first. */
  | { readonly type: 'DaemonSetRolling'; readonly surges: boolean }
  /** A new template is for pods that are created later, for whatever reason. */
  | { readonly type: 'OnDelete' };

/** An object that keeps pods running, with the defaults of its API applied. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly metadata: Metadata;
  /** Empty where the API server has not given any, as in a manifest. */
  readonly uid: string;
  readonly resourceVersion: string;
  /** Pods that its controller counted last, for the kinds that can be scaled (`status.replicas`); 0 before the first time. */
  readonly observedReplicas: number;
  /** Its status counts pods that are of an older template, or not ready: its last update may hang. False before the first time. */
  readonly isRollingOut: boolean;
  /** Pods wanted at once: a Job's parallelism, and nothing for one that has finished; one for a DaemonSet. */
  readonly replicas: number;
  /** DaemonSet: so many pods for each node that it may run on. */
  readonly onEveryNode: boolean;
  /** A paused Deployment, a suspended Job or CronJob. */
  readonly paused: boolean;
  /** CronJob: what becomes of a run when it is time for the next. */
  readonly concurrencyPolicy: ConcurrencyPolicy | undefined;
  /** Job: each of its pods has an index of its own, from 0. */
  readonly indexed: boolean;
  /** StatefulSet: no pod waits for those before it (`podManagementPolicy`). */
  readonly parallel: boolean;
  readonly strategy: Strategy;
  readonly template: PodTemplate;
  readonly ownClaims: OwnClaims;
  /** Deployment: what ReplicaSets without a controller it makes its own. */
  readonly selector: LabelSelector | undefined;
  /** ReplicaSet without a controller: its own labels, by which a Deployment makes it its own. */
  readonly orphanLabels: ReadonlyMap<string, string> | undefined;
}

/** StatefulSet: claims that each of its pods has for itself, called `<prefix>-<ordinal>`. */
export interface OwnClaims {
  /** `<template>-<name of the StatefulSet>`, one for each claim template. */
  readonly prefixes: readonly string[];
  readonly firstOrdinal: number;
}

/** Whether both are one object, maybe at different times. */
export function isSameWorkload(one: Workload, other: Workload): boolean {
  const [a, b] = [one.metadata, other.metadata];
  return one.kind === other.kind && a.namespace === b.namespace && a.name === b.name;
}

/** Which workloads are made by a controller of Kubernetes, and for which other kind. */
const MAKER_OF: ReadonlyMap<WorkloadKind, WorkloadKind> = new Map([
  ['ReplicaSet', 'Deployment'],
  ['Job', 'CronJob'],
]);

/** A workload that is said to have made another one. */
export interface Maker extends OwnerReference {
  readonly kind: WorkloadKind;
}

/** The Deployment of a ReplicaSet or the CronJob of a Job, as it says itself: whether that is true has to be looked up. */
export function makerOf({ kind, metadata: { controller } }: Workload): Maker | undefined {
  const maker = MAKER_OF.get(kind);
  if (maker === undefined || controller?.kind !== maker || controller.apiVersion !== KINDS[maker].apiVersion) return;
  return { ...controller, kind: maker };
}

/** Whether the other one is who it says that it was made by. */
function isMadeBy(workload: Workload, other: Workload): boolean {
  const maker = makerOf(workload);
  if (maker === undefined || maker.kind !== other.kind || maker.uid !== other.uid) return false;
  return maker.name === other.metadata.name && workload.metadata.namespace === other.metadata.namespace;
}

/** Tells one workload from every other, of whatever kind. */
export function idOfWorkload({ kind, metadata: { namespace, name } }: Workload): string {
  return idOf({ kind, namespace, name });
}

/** Whether their pods are the same ones: both are one object, or one of them makes the other. */
export function runSamePods(one: Workload, other: Workload): boolean {
  return isSameWorkload(one, other) || belongsTo(one, other) || belongsTo(other, one);
}

function belongsTo(workload: Workload, other: Workload): boolean {
  return isMadeBy(workload, other) || isAdoptedBy(workload, other);
}

/** `pkg/controller/controller_ref_manager.go:ClaimReplicaSets`: as after `kubectl delete --cascade=orphan`. */
function isAdoptedBy({ orphanLabels, metadata }: Workload, { selector, metadata: { namespace } }: Workload): boolean {
  if (orphanLabels === undefined || selector === undefined || selector.length === 0) return false;
  return metadata.namespace === namespace && matchesSelector(selector, orphanLabels);
}

/** Whether its pods share a volume at all: a claim by name, or a disk written into the template. */
export function mountsVolumes(workload: Workload): boolean {
  return workload.template.volumes.length > 0;
}

/** Whether its pods hold claims at all: shared ones, or of their own. */
export function holdsVolumes(workload: Workload): boolean {
  return mountsVolumes(workload) || workload.ownClaims.prefixes.length > 0;
}

/** Whether it keeps pods running, or starts them now and then. A paused Deployment still has its pods. */
export function runsPods({ kind, replicas, paused, metadata }: Workload): boolean {
  return replicas > 0 && !metadata.deleting && (!paused || kind === 'Deployment');
}

/**
 * Whether anybody asks for it: as a user of a volume, or because affinity of others may mean its pods. What another one is
 * said to have made is asked for while it runs pods, for that one may not be there.
 */
export function concernsOthers(workload: Workload): boolean {
  return runsPods(workload) || (makerOf(workload) === undefined && holdsVolumes(workload));
}

/** The names of the claims that its pods share, each once. */
export function claimNames(workload: Workload): readonly string[] {
  const names = workload.template.volumes.flatMap((volume) => (volume.type === 'claim' ? [volume.claimName] : []));
  return names.length > 1 ? [...new Set(names)] : names;
}

/** A claim as a StatefulSet would call it for one of its pods (`pkg/controller/statefulset/stateful_set_utils.go:getPersistentVolumeClaimName`). */
export interface NumberedClaim {
  readonly prefix: string;
  readonly ordinal: number;
}

/** `undefined` for a name that no pod's own claim has. */
export function numberedClaim(name: string): NumberedClaim | undefined {
  const [, prefix, ordinal] = /^(.+)-(0|[1-9]\d*)$/.exec(name) ?? [];
  return prefix === undefined ? undefined : { prefix, ordinal: Number(ordinal) };
}

/** What tells one pod of a StatefulSet from the others (`pkg/controller/statefulset/stateful_set_utils.go:updateIdentity`). */
export function labelsOfOrdinal({ metadata }: Workload, ordinal: number): readonly (readonly [string, string])[] {
  return [
    ['statefulset.kubernetes.io/pod-name', `${metadata.name}-${ordinal}`],
    ['apps.kubernetes.io/pod-index', `${ordinal}`],
  ];
}

/** Whether a label's name is one of those that controllers give to pods beside what the template says. */
export function isAddedByController(label: string): boolean {
  return ADDED_LABELS.has(label.replace(/^(batch|apps)\.kubernetes\.io\//, ''));
}

const ADDED_LABELS: ReadonlySet<string> = new Set([
  ...['pod-template-hash', 'controller-revision-hash', 'statefulset.kubernetes.io/pod-name', 'pod-index'],
  ...['job-name', 'controller-uid', 'job-completion-index'],
]);

/** The ordinal of the pod that has the claim for itself; `undefined` where none of its pods does. */
export function ordinalOfOwner({ ownClaims, replicas }: Workload, claim: string): number | undefined {
  const numbered = numberedClaim(claim);
  if (numbered === undefined || !ownClaims.prefixes.includes(numbered.prefix)) return undefined;
  const { firstOrdinal } = ownClaims;
  const isAmongPods = numbered.ordinal >= firstOrdinal && numbered.ordinal < firstOrdinal + replicas;
  return isAmongPods ? numbered.ordinal : undefined;
}
