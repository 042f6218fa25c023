import type { ClaimStatus, VolumeStatus } from '../objects/claim-status.ts';
import type { Fact } from '../objects/fact.ts';
import type { Autoscaler } from '../objects/horizontal-pod-autoscaler.ts';
import { isWorkloadKind } from '../objects/kinds.ts';
import type { OwnerReference } from '../objects/metadata.ts';
import type { NodeStatus } from '../objects/node-status.ts';
import type { DisruptionBudget } from '../objects/pod-disruption-budget.ts';
import type { PodStatus } from '../objects/pod-status.ts';
import type { StorageClass } from '../objects/storage-class.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import type { Owner } from './owner.ts';

/** The name of a claim. */
export interface ClaimRef {
  readonly namespace: string;
  readonly name: string;
}

/** An object that a pod, or another owner, says that it belongs to; `undefined` where there is none of that uid. */
export interface OwnerLink extends OwnerReference {
  readonly namespace: string;
  readonly found: Fact<Owner | undefined>;
}

/** A pod that uses the disk, and who made it: the nearest first, the last is at the top. */
export interface UsingPod extends PodStatus {
  readonly owners: readonly OwnerLink[];
}

/** A HorizontalPodAutoscaler, and what made it, as KEDA does. */
export interface OwnedAutoscaler extends Autoscaler {
  readonly controller: OwnerReference | undefined;
}

/** The topmost of Kubernetes' own workloads above a pod, and its own owners, the nearest first. */
export interface UsingWorkload {
  readonly owner: Owner;
  readonly owners: readonly OwnerLink[];
}

/** How many volumes of the disk's driver a node may have, and has. */
export interface Room {
  readonly limit: number;
  readonly attached: number;
}

/** Everything about the use of one claim, as it was read at one time. */
export interface ClaimUse extends ClaimRef {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly claim: Fact<ClaimStatus | undefined>;
  /** `undefined` while nothing is bound. */
  readonly volume: Fact<VolumeStatus | undefined>;
  readonly storageClass: Fact<StorageClass | undefined>;
  /** Whether the attach-detach controller keeps track of where the volume is. */
  readonly attachable: Fact<boolean>;
  /** Whether several nodes may use it at once, as its modes say. */
  readonly manyNodes: boolean;
  /** Claims that have a volume on the same disk. */
  readonly otherClaims: Fact<readonly ClaimRef[]>;
  /** Of all volumes on the disk. */
  readonly attachments: Fact<readonly VolumeAttachment[]>;
  /** The pods of all claims on the disk. */
  readonly pods: Fact<readonly UsingPod[]>;
  /** What makes pods that mount a claim on the disk, also where none runs just now; with what owns it in turn. */
  readonly workloads: Fact<readonly UsingWorkload[]>;
  readonly autoscalers: Fact<readonly OwnedAutoscaler[]>;
  readonly budgets: Fact<readonly DisruptionBudget[]>;
  /** By the name of a node that has a pod or an attachment of it; `undefined` for one that is not there. */
  readonly node: (name: string) => Fact<NodeStatus | undefined>;
  /** `undefined` where the node's driver names no limit. */
  readonly room: (node: string) => Fact<Room | undefined>;
  /** Nodes whose driver names a limit. */
  readonly nodesOfDriver: () => Fact<readonly string[]>;
}

/** The link at the end of a chain of owners. */
export function topOf({ owners }: UsingPod): OwnerLink | undefined {
  return owners.at(-1);
}

/** The topmost of Kubernetes' workloads above a pod, below whatever operator made that; where there is none, whoever is at the top. */
export function workloadOf(pod: UsingPod): OwnerLink | undefined {
  return pod.owners.findLast(({ kind }) => isWorkloadKind(kind)) ?? topOf(pod);
}

/** What stops nobody from reading on: reasons why something could not be seen, each once. */
export function unseenOf(use: ClaimUse): readonly string[] {
  const { claim, volume, attachable, otherClaims, attachments, pods, workloads, autoscalers, budgets } = use;
  const facts: readonly Fact<unknown>[] = [
    ...[claim, volume, attachable, otherClaims, attachments, pods, workloads, autoscalers, budgets],
    ...nodesOf(use).map((name) => use.node(name)),
    ...linksOf(use).map(({ found }) => found),
  ];
  return [...new Set(facts.flatMap((fact) => (fact.known ? [] : [fact.because])))];
}

/** Nodes that have a pod or an attachment of the disk, by name. */
export function nodesOf({ attachments, pods }: ClaimUse): readonly string[] {
  const names = [
    ...(attachments.known ? attachments.value.map(({ nodeName }) => nodeName) : []),
    ...(pods.known ? pods.value.filter(({ ended }) => !ended).map(({ nodeName }) => nodeName ?? '') : []),
  ];
  return [...new Set(names)].filter((name) => name !== '').toSorted();
}

/** Everybody above a pod or a workload, each once. */
export function linksOf({ pods, workloads }: ClaimUse): readonly OwnerLink[] {
  const chains = [...(pods.known ? pods.value : []), ...(workloads.known ? workloads.value : [])];
  const byUid = new Map(chains.flatMap(({ owners }) => owners.map((link) => [link.uid, link] as const)));
  return [...byUid.values()];
}
