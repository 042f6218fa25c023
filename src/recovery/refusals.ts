import { isScalable, isWorkloadKind } from '../objects/kinds.ts';
import { keyOf } from '../objects/object-key.ts';
import { matchesSelector } from '../objects/selector.ts';
import { type ClaimUse, topOf, type UsingPod, type UsingWorkload, unseenOf } from './claim-use.ts';
import { isOfKubernetes, isSuspendable } from './owner.ts';
import { scaledBackBy } from './scaled-back.ts';
import { listed, names } from './view.ts';

/** What the person who runs it answers for. */
export interface Mandate {
  /** Nodes of which they have made sure that they are off, and stay off. */
  readonly nodeIsOff: readonly string[];
  /** That Argo CD and Flux have been told to wait. */
  readonly gitOpsSuspended: boolean;
  /** That pods may go although a PodDisruptionBudget counts on them. */
  readonly despiteBudgets: boolean;
  /** That what was stopped is started at once, whether the claim has come free or not. */
  readonly rollBack: boolean;
  /** Of two owners, the one that keeps the claim, as `KIND/NAME`. */
  readonly keep: string | undefined;
}

/** Why these workloads and pods are not stopped. Where there is anything that cannot be told, nothing is. */
export function refusalsToStop(
  use: ClaimUse,
  workloads: readonly UsingWorkload[],
  pods: readonly UsingPod[],
  mandate: Mandate,
): readonly string[] {
  const unseen = unseenOf(use).map((because) => `nobody may be stopped while something is not seen: ${because}`);
  const isOfPod = use.claim.known && use.claim.value?.metadata.controller?.kind === 'Pod';
  return [
    ...unseen,
    ...(isOfPod ? ["the claim is its pod's own: it goes with the pod, and its data with it"] : []),
    ...workloads.flatMap((workload) => ofWorkload(use, workload, mandate)),
    ...pods.flatMap(ofPod),
    ...(mandate.despiteBudgets ? [] : budgets(use, pods)),
  ];
}

function ofWorkload(use: ClaimUse, workload: UsingWorkload, { gitOpsSuspended }: Mandate): readonly string[] {
  const { owner } = workload;
  const name = `${owner.kind} ${keyOf(owner.namespace, owner.name)}`;
  if (owner.deleting) return [];
  if (!isWorkloadKind(owner.kind) || !(isScalable(owner.kind) || isSuspendable(owner.apiVersion, owner.kind)))
    return [`${name} cannot be scaled: take its pods off by a nodeSelector that no node has, or delete it`];
  if (owner.deletesClaims && owner.workload !== undefined && owner.workload.ownClaims.prefixes.length > 0)
    return [
      `${name} deletes its claims, and their data, when it is scaled down (persistentVolumeClaimRetentionPolicy)`,
    ];
  return scaledBackBy(use, workload).flatMap(({ by, words, pause }) => {
    switch (by) {
      case 'none':
        return [];
      case 'GitOps':
        return gitOpsSuspended
          ? []
          : [`${name} is ${words}, which would scale it back: ${pause}, then --gitops-suspended`];
      case 'autoscaler':
        return [`${name} is ${words}: ${pause}`];
      case 'operator':
        return [`${name} is ${words}: stop it by its own means`];
      default:
        return by satisfies never;
    }
  });
}

function ofPod(pod: UsingPod): readonly string[] {
  const name = `pod ${keyOf(pod.namespace, pod.name)}`;
  if (pod.isMirror) return [`${name} is a static pod: its manifest is on node ${pod.nodeName}`];
  const top = topOf(pod);
  if (top === undefined || isWorkloadKind(top.kind)) return [];
  if (!isOfKubernetes(top.apiVersion) && pod.owners.some(({ kind }) => isWorkloadKind(kind))) return []; // told of its workload
  return [
    `${name} belongs to ${top.kind} ${keyOf(top.namespace, top.name)}, which is none that can be stopped from here`,
  ];
}

/** Scaling asks no budget, so it is asked here. */
function budgets(use: ClaimUse, pods: readonly UsingPod[]): readonly string[] {
  if (!use.budgets.known) return [];
  return use.budgets.value.flatMap(({ namespace, name, selector, disruptionsAllowed }) => {
    if (selector === undefined) return [];
    const counted = pods.filter(
      (pod) => pod.isReady && !pod.deleting && pod.namespace === namespace && matchesSelector(selector, pod.labels),
    );
    if (counted.length <= disruptionsAllowed) return [];
    const words = `PodDisruptionBudget ${keyOf(namespace, name)} lets ${disruptionsAllowed} of its pods go`;
    return [`${words}, and these are Ready: ${listed([names(counted)])}: --despite-budgets`];
  });
}
