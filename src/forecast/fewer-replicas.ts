import { placeKey } from '../facts/claim-facts.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import type { Strategy, Workload } from '../objects/workload.ts';
import { NODE } from '../snapshot/domains.ts';
import { fencepostsOf } from './rolling-update.ts';

/** So many pods are as good as any number: one that is ready, one that waits, and one more between them. */
const ENOUGH = 3;

/** Where pods keep apart, or have volumes of their own in different places, each counts; more than this are not looked at one by one. */
const MOST_APART = 6;

/** Numbers of pods that are small, and stand to each other as those of the workload do. */
export interface Replicas {
  readonly before: Workload | undefined;
  readonly wanted: Workload;
  /** What an autoscaler may ask for. */
  readonly most: number;
}

/**
 * Whether pods that keep apart have too few places, and those that stand for them have enough; or whether some have volumes
 * of their own that are not where those of the others are. Then an answer for fewer is none for all.
 */
export function hidesTrouble({ workload, ownClaims, ...facts }: WorkloadFacts, most: number, cut: Replicas): boolean {
  const [all, few] = [Math.max(workload.replicas, most), Math.max(cut.wanted.replicas, cut.most)];
  if (all === few) return false;
  const places = placesOf(ownClaims);
  facts.budget.spend(places.length);
  if (places.slice(few).some((place) => !places.slice(0, few).includes(place))) return true;
  const topologies = topologiesApart(workload.template);
  if (topologies.length === 0 || !facts.nodes.known) return false;
  const search = facts.nodes.value;
  const query = search.queries.of({ workload, ...facts }, false);
  const spare = needsSpare(workload) ? 1 : 0;
  return topologies.some((topology) => {
    const domains = search.domains([topology], [query], all + spare).size;
    return domains < all + spare && domains >= few + spare;
  });
}

/** By pod, where its own volumes are. */
function placesOf(ownClaims: WorkloadFacts['ownClaims']): readonly string[] {
  return ownClaims.map((claims) => JSON.stringify(claims.map(placeKey)));
}

/** The domains in each of which one of the pods may be. */
function topologiesApart({ podAntiAffinity, hostPorts, restrictedDisks }: PodTemplate): readonly string[] {
  const keys = podAntiAffinity.map(({ topologyKey }) => topologyKey);
  return [...new Set([...keys, ...(hostPorts.length + restrictedDisks.length > 0 ? [NODE] : [])])];
}

/** Whether no old pod goes before a new one has come. */
function needsSpare({ strategy, replicas }: Workload): boolean {
  return strategy.type === 'RollingUpdate' && fencepostsOf({ strategy, replicas }).maxUnavailable === 0;
}

/** The most pods that there are at once while so many are wanted: no more than twice as many. */
export function mostPodsOf({ strategy, replicas }: Workload, wanted: number): number {
  if (strategy.type !== 'RollingUpdate') return wanted + replicas;
  return wanted + Math.min(replicas, fencepostsOf({ strategy, replicas }).maxSurge);
}

/** More stays more and fewer stays fewer; of maxSurge and maxUnavailable it stays whether they are none, some, all but one, or all. */
export function cutReplicas(facts: WorkloadFacts, before: WorkloadFacts | undefined, most: number): Replicas {
  const { workload } = facts;
  const keepsAll = [facts, ...(before === undefined ? [] : [before])].some(
    ({ workload: { template }, ownClaims }) => keepsApart(template) || new Set(placesOf(ownClaims)).size > 1,
  );
  const enough = keepsAll ? MOST_APART : ENOUGH + 1;
  const counts = [before?.workload.replicas ?? workload.replicas, workload.replicas, most];
  const cut = (replicas: number): number => {
    if (Math.max(...counts) <= enough) return replicas;
    const above = new Set(counts.filter((other) => other > replicas)).size;
    return Math.min(replicas, Math.max(1, enough - above));
  };
  return {
    before: before && cutTo(before.workload, cut(before.workload.replicas)),
    wanted: cutTo(workload, cut(workload.replicas)),
    most: cut(most),
  };
}

function cutTo(workload: Workload, replicas: number): Workload {
  return replicas === workload.replicas
    ? workload
    : { ...workload, replicas, strategy: strategyFor(workload, replicas) };
}

function strategyFor({ strategy, replicas: all }: Workload, replicas: number): Strategy {
  switch (strategy.type) {
    case 'RollingUpdate': {
      const { maxSurge, maxUnavailable } = fencepostsOf({ strategy, replicas: all });
      return {
        type: 'RollingUpdate',
        maxSurge: { type: 'int', value: part(maxSurge, all, replicas) },
        maxUnavailable: { type: 'int', value: part(maxUnavailable, all, replicas) },
      };
    }
    case 'StatefulSetRolling':
      return { type: 'StatefulSetRolling', partition: part(strategy.partition, all, replicas) };
    case 'Recreate':
    case 'DaemonSetRolling':
    case 'OnDelete':
      return strategy;
    default:
      return strategy satisfies never;
  }
}

/** None, all, all but one, or one. */
function part(pods: number, all: number, replicas: number): number {
  if (pods === 0) return 0;
  if (pods >= all) return replicas;
  return pods === all - 1 ? replicas - 1 : 1;
}

function keepsApart({ podAntiAffinity, spread, hostPorts, restrictedDisks }: PodTemplate): boolean {
  return podAntiAffinity.length + spread.length + hostPorts.length + restrictedDisks.length > 0;
}
