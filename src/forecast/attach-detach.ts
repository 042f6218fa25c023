import { type Cluster, podsFrom, type Steps } from './cluster.ts';
import {
  attachedTo,
  classOf,
  nodeOf,
  phaseOf,
  STARTING,
  type State,
  TERMINATING,
  WAITING,
  withAttached,
} from './state.ts';

/**
 * Attaches a volume to a node on which a pod has it, mounted or not: from nowhere, or from a node where no pod uses it any more
 * (`pkg/controller/volume/attachdetach/reconciler/reconciler.go:attachDesiredVolumes`). Detaching is no step of its own:
 * taken by itself it would hide that a pod had to wait.
 */
export function attachDetach(cluster: Cluster): Steps {
  const first = podsFrom(cluster);
  const held = cluster.classes.map(({ volumes }) => volumes);
  const exclusive = cluster.volumes.flatMap(({ isAttachedToOne }, volume) => (isAttachedToOne ? [volume] : []));
  return (state) => {
    const next: State[] = [];
    for (const volume of exclusive) {
      const at = attachedTo(state, volume);
      const wanting: number[] = [];
      let inUse = false;
      for (let index = first; index < state.length && !inUse; index++) {
        const pod = state[index] ?? 0;
        if (phaseOf(pod) === WAITING || !held[classOf(pod)]?.includes(volume)) continue;
        const node = nodeOf(pod);
        if (node < 0) continue;
        if (node === at) inUse = true;
        else if (phaseOf(pod) !== TERMINATING && !wanting.includes(node)) wanting.push(node);
      }
      if (!inUse) for (const node of wanting) next.push(withAttached(state, volume, node));
    }
    return next;
  };
}

/**
 * The volumes for which a pod waits on its node while they are attached to another one, unless only pods of other
 * workloads keep them there that do not end.
 */
export function waitedFor(cluster: Cluster): (state: State, ending?: readonly number[]) => readonly number[] {
  const first = podsFrom(cluster);
  const held = cluster.classes.map(({ volumes }) =>
    volumes.filter((volume) => cluster.volumes[volume]?.isAttachedToOne),
  );
  const isOnlyOthers = (volume: number, node: number, state: State, ending: readonly number[]): boolean => {
    let others = false;
    for (let index = first; index < state.length; index++) {
      const podClass = classOf(state[index] ?? 0);
      if (nodeOf(state[index] ?? 0) !== node || !held[podClass]?.includes(volume)) continue;
      if (cluster.classes[podClass]?.isOwn || ending.includes(podClass)) return false;
      others = true;
    }
    return others;
  };
  return (state, ending = NONE) => {
    for (let index = first; index < state.length; index++) {
      const pod = state[index] ?? 0;
      if (phaseOf(pod) !== STARTING) continue;
      const node = nodeOf(pod);
      const isLate = (volume: number): boolean => {
        const at = attachedTo(state, volume);
        return at >= 0 && at !== node && !isOnlyOthers(volume, at, state, ending);
      };
      const volumes = held[classOf(pod)] ?? NONE;
      if (volumes.some(isLate)) return volumes.filter(isLate);
    }
    return NONE;
  };
}

const NONE: readonly number[] = [];
