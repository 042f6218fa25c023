import { fencepostsOf } from '../forecast/rolling-update.ts';
import type { IntOrPercent, Strategy, Workload } from '../objects/workload.ts';

/** Why a controller makes pods, ends them or keeps them, with the numbers of its rule. */

type RollingWorkload = Workload & { readonly strategy: Extract<Strategy, { readonly type: 'RollingUpdate' }> };

/** `maxSurge is 1`, or `maxSurge 25% of 3 replicas is 1`. */
export function maxSurge(workload: RollingWorkload): string {
  return share('maxSurge', workload.strategy.maxSurge, fencepostsOf(workload).maxSurge, workload.replicas);
}

/** Two zeros count as one unavailable (`pkg/controller/deployment/util/deployment_util.go:ResolveFenceposts`). */
export function maxUnavailable(workload: RollingWorkload): string {
  const { strategy, replicas } = workload;
  const { value, type } = strategy.maxUnavailable;
  const fenceposts = fencepostsOf(workload);
  const written = type === 'int' ? value : Math.floor((value * replicas) / 100);
  return written === 0 && fenceposts.maxUnavailable > 0
    ? 'maxSurge and maxUnavailable both come to 0, and then one pod may be missing'
    : share('maxUnavailable', strategy.maxUnavailable, fenceposts.maxUnavailable, replicas);
}

function share(field: string, written: IntOrPercent, pods: number, replicas: number): string {
  if (written.type === 'int') return `${field} is ${written.value}`;
  const exact = (written.value * replicas) / 100;
  const comesTo = exact < pods ? 'rounds up to' : exact > pods ? 'rounds down to' : 'is';
  return `${field} ${written.value}% of ${counted(replicas, 'replica')} ${comesTo} ${pods}`;
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

export function isRolling(workload: Workload): workload is RollingWorkload {
  return workload.strategy.type === 'RollingUpdate';
}

/** Why pods are created where none of their workload is being replaced. */
export function wanted({ kind, replicas, onEveryNode, indexed }: Workload): string {
  switch (kind) {
    case 'Job':
      return indexed ? `it is indexed and parallelism is ${replicas}` : `parallelism is ${replicas}`;
    case 'CronJob':
      return replicas === 1 ? 'it is time for a run' : `each run has ${counted(replicas, 'pod')} at once`;
    case 'DaemonSet':
      return 'each node that fits gets one';
    case 'Deployment':
    case 'ReplicaSet':
    case 'StatefulSet':
      return onEveryNode ? 'each node gets one' : `replicas is ${replicas}`;
    default:
      return kind satisfies never;
  }
}

/** What keeps old pods while new ones are not ready. */
export function oldStayBecause(workload: Workload): string {
  const { kind, strategy, replicas } = workload;
  switch (strategy.type) {
    case 'RollingUpdate': {
      if (!isRolling(workload)) return '';
      const least = replicas - fencepostsOf(workload).maxUnavailable;
      const pods = replicas === 1 ? 'its 1 pod' : `${least} of ${replicas} pods`;
      return `keeps ${pods} available, because ${maxUnavailable(workload)}`;
    }
    case 'StatefulSetRolling':
      return 'goes on to the next pod only when the last one is ready';
    case 'DaemonSetRolling':
      return strategy.surges ? 'ends the old pod on a node only when the new one is ready' : 'has ended the old pod';
    case 'Recreate':
    case 'OnDelete':
      return kind === 'Deployment' ? 'keeps no old pod' : 'leaves its pods alone';
    default:
      return strategy satisfies never;
  }
}
