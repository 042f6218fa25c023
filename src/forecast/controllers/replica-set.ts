import { type Cluster, podsFrom } from '../cluster.ts';
import type { State } from '../state.ts';
import { type Controller, count, isActive } from './controller.ts';
import { created } from './deployment.ts';

/**
 * Makes all pods at once that are missing (`pkg/controller/replicaset/replica_set.go:manageReplicas`,
 * `pkg/controller/job/job_controller.go:manageJob`): so many of each class, of an indexed Job one of each.
 */
export function replicaSet(cluster: Cluster, wanted: ReadonlyMap<number, number>): Controller {
  const first = podsFrom(cluster);
  return {
    create(state) {
      let next: State = state;
      for (const [podClass, pods] of wanted) {
        [next = next] = created(next, cluster, podClass, pods - count(state, first, podClass, isActive));
      }
      return next === state ? [] : [next];
    },
    end: () => [],
  };
}

/** Two workloads at once whose pods are made, and none of them ended. */
export function together(one: Controller, other: Controller): Controller {
  return {
    create(state) {
      const made = one.create(state);
      return made.length > 0 ? made : other.create(state);
    },
    end: () => [],
  };
}
