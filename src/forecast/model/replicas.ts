import type { WorkloadFacts } from '../../facts/workload-facts.ts';
import type { PodTemplate } from '../../objects/pod-template.ts';
import type { Strategy, Workload } from '../../objects/workload.ts';
import { fencepostsOf } from '../rolling-update.ts';

/** So many pods are as good as any number: one that is ready, one that waits, and one more between them. */
const ENOUGH = 3;

/** Where pods keep apart, or have volumes of their own, each counts; more than this are not looked at one by one. */
const MOST_APART = 6;

/** Numbers of pods that are small, and stand to each other as those of the workload do. */
export interface Replicas {
  readonly before: Workload | undefined;
  readonly wanted: Workload;
  /** What an autoscaler may ask for. */
  readonly most: number;
}

/** Whether an answer for fewer pods might not be one for all of them: how many nodes there are for them may matter. */
export function isCutTooFar({ workload, ownClaims }: WorkloadFacts, most: number): boolean {
  return Math.max(workload.replicas, most) > MOST_APART && (keepsApart(workload.template) || ownClaims.length > 0);
}

/** More stays more and fewer stays fewer; of maxSurge and maxUnavailable it stays whether they are none, some, all but one, or all. */
export function cutReplicas(facts: WorkloadFacts, before: WorkloadFacts | undefined, most: number): Replicas {
  const { workload } = facts;
  const keepsAll = [facts, ...(before === undefined ? [] : [before])].some(
    ({ workload: { template }, ownClaims }) => keepsApart(template) || ownClaims.length > 0,
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
    case 'OneByOne':
      return { type: 'OneByOne', partition: part(strategy.partition, all, replicas) };
    case 'Recreate':
    case 'InPlace':
    case 'Never':
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
