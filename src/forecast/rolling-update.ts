import type { IntOrPercent, Strategy, Workload } from '../objects/workload.ts';

type Rolled = Pick<Workload, 'strategy' | 'replicas'>;

interface Rolling extends Rolled {
  readonly strategy: Extract<Strategy, { readonly type: 'RollingUpdate' }>;
}

/** How far a rollout may go beyond and below the wanted number of pods, in pods. */
export interface Fenceposts {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/**
 * Surge rounds up, unavailable rounds down, and two zeros become one unavailable
 * (`pkg/controller/deployment/util/deployment_util.go:ResolveFenceposts`, `:MaxUnavailable`).
 */
export function fencepostsOf({ strategy, replicas }: Rolling): Fenceposts {
  const maxSurge = resolved(strategy.maxSurge, replicas, Math.ceil);
  const maxUnavailable = resolved(strategy.maxUnavailable, replicas, Math.floor);
  const none = maxSurge === 0 && maxUnavailable === 0;
  return { maxSurge, maxUnavailable: Math.min(none ? 1 : maxUnavailable, replicas) };
}

function resolved(count: IntOrPercent, replicas: number, round: (pods: number) => number): number {
  return count.type === 'int' ? count.value : round((count.value * replicas) / 100);
}

/**
 * How many old pods stay for as long as new ones do not become available. A Deployment stops at
 * `replicas - maxUnavailable` old pods, so the last of them goes only where every one may be missing
 * (`pkg/controller/deployment/rolling.go:reconcileOldReplicaSets`); a StatefulSet touches the next pod only when the last
 * one is ready (`pkg/controller/statefulset/stateful_set_control.go:updateStatefulSet`).
 */
export function podsThatStay({ strategy, replicas }: Rolled): number {
  switch (strategy.type) {
    case 'Recreate':
    case 'OnDelete':
      return 0;
    case 'RollingUpdate':
      return replicas - fencepostsOf({ strategy, replicas }).maxUnavailable;
    case 'StatefulSetRolling':
      return Math.max(0, replicas - 1);
    case 'DaemonSetRolling':
      return strategy.surges ? 1 : 0;
    default:
      return strategy satisfies never;
  }
}

/** Whether new pods are created while old ones are still wanted. */
export function overlaps({ strategy, replicas }: Rolled): boolean {
  if (strategy.type === 'DaemonSetRolling') return strategy.surges;
  return strategy.type === 'RollingUpdate' && fencepostsOf({ strategy, replicas }).maxSurge > 0;
}

/** Whether a new template replaces any pod at all. */
export function replacesPods({ strategy, replicas }: Rolled): boolean {
  return strategy.type !== 'OnDelete' && podsOfNewRevision({ strategy, replicas }) > 0;
}

/** How many pods a new template is for; those below a StatefulSet's partition keep theirs. */
export function podsOfNewRevision({ strategy, replicas }: Rolled): number {
  return strategy.type === 'StatefulSetRolling' ? Math.max(0, replicas - strategy.partition) : replicas;
}
