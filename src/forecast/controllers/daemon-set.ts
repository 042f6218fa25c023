import { type Cluster, podsFrom } from '../cluster.ts';
import { classOf, phaseOf, READY, type State, TERMINATING, withPod } from '../state.ts';
import { type Controller, deleted } from './controller.ts';
import { newPod } from './new-pod.ts';

export interface DaemonRollout {
  /** By node the class of its old pod and that of its new one. */
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** By node, whether a new pod is for it (`pkg/controller/daemon/daemon_controller.go:NodeShouldRunDaemonPod`). */
  readonly runs: readonly boolean[];
  /** By node, whether a pod that is there stays although no new one comes: a NoSchedule taint evicts nobody. */
  readonly keeps: readonly boolean[];
  readonly surges: boolean;
}

/**
 * A pod on every node, each replaced where it is (`pkg/controller/daemon/update.go:rollingUpdate`), one at a time:
 * how many may be missing at once changes what happens meanwhile and not where it ends.
 */
export function daemonSet(cluster: Cluster, { from, to, runs, keeps, surges }: DaemonRollout): Controller {
  const first = podsFrom(cluster);
  const find = (state: State, podClass: number | undefined): number | undefined => {
    for (let index = first; index < state.length; index++) {
      if (classOf(state[index] ?? 0) === podClass) return state[index];
    }
    return undefined;
  };
  const isReady = (pod: number | undefined): boolean => pod !== undefined && phaseOf(pod) === READY;
  const oldAt = (state: State, node: number) => (from === to ? undefined : find(state, from[node]));
  return {
    create(state) {
      for (const [node, podClass] of to.entries()) {
        if (!runs[node] || find(state, podClass) !== undefined) continue;
        // Until the old pod has gone its node has one.
        if (!surges && oldAt(state, node) !== undefined) continue;
        return [withPod(state, first, newPod(cluster, podClass))];
      }
      return [];
    },
    end(state) {
      const next: State[] = [];
      let isOneMissing = false;
      const ready: number[] = [];
      for (const node of to.keys()) {
        const old = oldAt(state, node);
        const isGoing = old !== undefined && phaseOf(old) === TERMINATING;
        if (old !== undefined && !isGoing && !runs[node]) {
          if (!keeps[node]) return [deleted(state, first, old)];
          continue;
        }
        if (!runs[node]) continue;
        const isUp = isReady(find(state, to[node]));
        if (old === undefined || isGoing) isOneMissing ||= !isUp;
        else if (surges ? isUp : !isReady(old)) return [deleted(state, first, old)];
        else ready.push(old);
      }
      if (!surges && !isOneMissing) for (const old of ready) next.push(deleted(state, first, old));
      return next;
    },
  };
}
