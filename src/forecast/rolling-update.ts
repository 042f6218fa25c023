import type { IntOrPercent, Workload } from '../facts/workload.ts';

/** How far a rollout may go beyond and below the wanted number of pods, in pods. */
export interface Fenceposts {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/**
 * Surge rounds up, unavailable rounds down, and two zeros become one unavailable
 * (`pkg/controller/deployment/util/deployment_util.go:ResolveFenceposts`, `:MaxUnavailable`). Recreate may take all.
 */
export function fencepostsOf({ strategy, replicas }: Pick<Workload, 'strategy' | 'replicas'>): Fenceposts {
  switch (strategy.type) {
    case 'Recreate':
      return { maxSurge: 0, maxUnavailable: replicas };
    case 'RollingUpdate': {
      const maxSurge = resolved(strategy.maxSurge, replicas, Math.ceil);
      const maxUnavailable = resolved(strategy.maxUnavailable, replicas, Math.floor);
      const unavailable = maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable;
      return { maxSurge, maxUnavailable: Math.min(unavailable, replicas) };
    }
    default:
      return strategy satisfies never;
  }
}

function resolved(count: IntOrPercent, replicas: number, round: (pods: number) => number): number {
  return count.type === 'int' ? count.value : round((count.value * replicas) / 100);
}

/**
 * Whether old pods stay for as long as new ones do not become available. The controller stops at
 * `replicas - maxUnavailable` old pods, so the last of them goes only where every one may be missing
 * (`pkg/controller/deployment/rolling.go:reconcileOldReplicaSets`).
 */
export function keepsOldPods(workload: Pick<Workload, 'strategy' | 'replicas'>): boolean {
  return fencepostsOf(workload).maxUnavailable < workload.replicas;
}

/** Whether new pods are created while old ones are still wanted. */
export function overlaps(workload: Pick<Workload, 'strategy' | 'replicas'>): boolean {
  return fencepostsOf(workload).maxSurge > 0;
}
