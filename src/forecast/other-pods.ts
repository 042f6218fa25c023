import { placeKey } from '../facts/claim-facts.ts';
import type { PodFacts, WorkloadFacts } from '../facts/workload-facts.ts';
import { operationsToCompare, selects } from '../objects/pod-affinity.ts';
import { idOfWorkload, type Workload } from '../objects/workload.ts';
import type { OtherPods } from './parts.ts';
import { firstOf } from './pod-labels.ts';
import type { World } from './world.ts';

/** Pods of others that hold one of its volumes, or that decide where its own may be. */
export function othersOf(own: readonly WorkloadFacts[]): readonly OtherPods[] {
  return distinctPods(own.flatMap(othersOfOne));
}

function othersOfOne({ otherUsers, nearby }: WorkloadFacts): readonly OtherPods[] {
  const users = otherUsers.pods;
  const others = nearby.pods.map((one) => ({ facts: one, number: firstOf(one.workload) }));
  return [...users.flatMap(podsOf), ...others, ...users.flatMap(siblingsOf)];
}

/** Pods that their own volumes hold to different places are looked at one by one, so many of them. */
const MOST_OF_A_USER = 3;

/** One pod stands for all that their own volumes hold to one place, or to none. */
function podsOf(user: PodFacts): readonly OtherPods[] {
  const first = firstOf(user.workload);
  const byPlace = new Map<string, OtherPods>();
  for (const [index, own] of user.ownClaims.entries()) {
    user.budget.spend(own.length);
    const held = own.filter(({ nodeAffinity, zones, onceBound }) => nodeAffinity ?? onceBound ?? zones.size > 0);
    const place = JSON.stringify(held.map(placeKey));
    if (byPlace.has(place) || byPlace.size === MOST_OF_A_USER) continue;
    byPlace.set(place, { facts: { ...user, claims: [...user.claims, ...held], ownClaims: [] }, number: first + index });
  }
  return byPlace.size === 0 ? [{ facts: user, number: first }] : [...byPlace.values()];
}

/** The other pods of a workload of which one pod holds a volume of ours: they hold none that is known. */
function siblingsOf(user: PodFacts): readonly OtherPods[] {
  const { siblings, workload } = user;
  if (siblings === undefined) return [];
  const template = { ...workload, template: siblings };
  return [
    { facts: { ...user, workload: template, claims: [], ownClaims: [], siblings: undefined }, number: undefined },
  ];
}

/** Of pods of one workload that hold the same only one. */
function distinctPods(pods: readonly OtherPods[]): readonly OtherPods[] {
  if (pods.length < 2) return pods;
  const distinct = new Map<string, OtherPods>();
  for (const pod of pods) {
    const { workload, claims, budget } = pod.facts;
    budget.spend(1 + claims.length);
    const key = JSON.stringify([idOfWorkload(workload), ...claims.map(({ identity }) => identity)]);
    if (!distinct.has(key)) distinct.set(key, pod);
  }
  return [...distinct.values()];
}

/**
 * Pods of other Jobs that are held to those of this class: whoever waits for them waits for a while. What another Job does to it
 * that is held to nothing is told of both, and so is a claim for one pod, which is not shared on one node either.
 */
export function endingOthers({ cluster, others }: Pick<World, 'cluster' | 'others'>, own: number): readonly number[] {
  const { classes, volumes, budget } = cluster;
  const pod = classes[own];
  if (pod === undefined) return [];
  return others.filter((podClass) => {
    const other = classes[podClass];
    if (other === undefined || !endsByItself(other.facts.workload)) return false;
    const { podAffinity } = other.template;
    const isForOne = other.volumes.some((volume) => volumes[volume]?.isForOnePod && pod.volumes.includes(volume));
    if (isForOne || podAffinity.length === 0) return false;
    return podAffinity.every((term) => {
      budget.spend(operationsToCompare(term));
      return selects(term, other, pod) !== false;
    });
  });
}

function endsByItself({ kind }: Workload): boolean {
  return kind === 'Job' || kind === 'CronJob';
}
