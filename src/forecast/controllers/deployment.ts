import { type Cluster, podsFrom } from '../cluster.ts';
import type { Fenceposts } from '../rolling-update.ts';
import { classOf, nodeOf, phaseOf, READY, type State, withPod } from '../state.ts';
import { type Controller, count, deleted, isActive } from './controller.ts';
import { newPod } from './new-pod.ts';

export interface Rollout {
  /** The classes of the old pods, of one template or of several, and that of the new ones. */
  readonly from: readonly number[];
  readonly to: number;
  readonly replicas: number;
  /** Nothing for Recreate. */
  readonly fenceposts: Fenceposts | undefined;
}

export function deployment(cluster: Cluster, rollout: Rollout): Controller {
  return rollout.fenceposts === undefined
    ? recreate(cluster, rollout)
    : rollingUpdate(cluster, rollout, rollout.fenceposts);
}

function rollingUpdate(cluster: Cluster, { from, to, replicas }: Rollout, fenceposts: Fenceposts): Controller {
  const first = podsFrom(cluster);
  const leastAvailable = replicas - fenceposts.maxUnavailable;
  const countOld = (state: State, counts: (phase: number) => boolean): number => countEach(state, first, from, counts);
  return {
    /** `pkg/controller/deployment/util/deployment_util.go:NewRSNewReplicas`. */
    create(state) {
      const made = count(state, first, to, isActive);
      const room = replicas + fenceposts.maxSurge - made - countOld(state, isActive);
      return created(state, cluster, to, Math.min(room, replicas - made));
    },
    /** `pkg/controller/deployment/rolling.go:reconcileOldReplicaSets`: of old pods those first that are not ready. */
    end(state) {
      const [old, made] = [countOld(state, isActive), count(state, first, to, isActive)];
      const ready = count(state, first, to, isReady);
      if (old + made - leastAvailable - (made - ready) <= 0) return [];
      const oldReady = countOld(state, isReady);
      if (oldReady < old) return chosen(state, first, from, (phase) => isActive(phase) && phase !== READY);
      const spare = oldReady + ready - leastAvailable;
      return spare === 1 ? doubledUp(state, first, { from, to }) : chosen(state, first, from, isReady);
    },
  };
}

/**
 * Where one goes, it is of the node that has the most pods of the Deployment
 * (`pkg/controller/replicaset/replica_set.go:getPodsRankedByRelatedPodsOnSameNode`). Of several they are ranked once.
 */
function doubledUp(state: State, first: number, { from, to }: Pick<Rollout, 'from' | 'to'>): readonly State[] {
  const byNode = new Map<number, number>();
  let most = 0;
  for (const pod of state.slice(first)) {
    const isOwn = classOf(pod) === to || from.includes(classOf(pod));
    if (isOwn && isActive(phaseOf(pod))) byNode.set(nodeOf(pod), (byNode.get(nodeOf(pod)) ?? 0) + 1);
  }
  const isOld = (pod: number): boolean => from.includes(classOf(pod)) && isReady(phaseOf(pod));
  for (const pod of state.slice(first)) if (isOld(pod)) most = Math.max(most, byNode.get(nodeOf(pod)) ?? 0);
  return distinct(state, first, (pod) => isOld(pod) && byNode.get(nodeOf(pod)) === most);
}

/** `pkg/controller/deployment/recreate.go:rolloutRecreate`: new pods come when the last old one has gone. */
function recreate(cluster: Cluster, { from, to, replicas }: Rollout): Controller {
  const first = podsFrom(cluster);
  return {
    create(state) {
      if (countEach(state, first, from, () => true) > 0) return [];
      return created(state, cluster, to, replicas - count(state, first, to, isActive));
    },
    end(state) {
      let next = state;
      for (const pod of state.slice(first)) {
        if (from.includes(classOf(pod)) && isActive(phaseOf(pod))) next = deleted(next, first, pod);
      }
      return next === state ? [] : [next];
    },
  };
}

function countEach(
  state: State,
  first: number,
  classes: readonly number[],
  counts: (phase: number) => boolean,
): number {
  let pods = 0;
  for (const podClass of classes) pods += count(state, first, podClass, counts);
  return pods;
}

/** So many pods more. */
export function created(state: State, cluster: Cluster, podClass: number, pods: number): readonly State[] {
  if (pods <= 0) return [];
  let next = state;
  for (let made = 0; made < pods; made++) next = withPod(next, podsFrom(cluster), newPod(cluster, podClass));
  return [next];
}

/** Each of the pods that are not alike, deleted. */
function chosen(
  state: State,
  first: number,
  classes: readonly number[],
  counts: (phase: number) => boolean,
): readonly State[] {
  return distinct(state, first, (pod) => classes.includes(classOf(pod)) && counts(phaseOf(pod)));
}

function distinct(state: State, first: number, isMeant: (pod: number) => boolean): readonly State[] {
  const next: State[] = [];
  for (let index = first; index < state.length; index++) {
    const pod = state[index] ?? 0;
    if (pod !== state[index - 1] && isMeant(pod)) next.push(deleted(state, first, pod));
  }
  return next;
}

/** Whether it counts as available. */
function isReady(phase: number): boolean {
  return phase === READY;
}
