import { type Cluster, podsFrom, type Steps } from './cluster.ts';
import { portsConflict } from './scheduler/node-ports.ts';
import {
  attachedTo,
  classOf,
  nodeOf,
  phaseOf,
  podCode,
  READY,
  STARTING,
  type State,
  TERMINATING,
  WAITING,
  withChanged,
  withoutPod,
} from './state.ts';

/** What kubelets do. */
export interface Kubelets {
  /** Makes pods of these classes ready. */
  readonly start: (isMeant: (podClass: number) => boolean) => Steps;
  readonly end: Steps;
}

export function kubelets(cluster: Cluster): Kubelets {
  const first = podsFrom(cluster);
  const mayStart = startsOn(cluster);
  return { start: (isMeant) => starts(first, mayStart, isMeant), end: (state) => ends(state, first) };
}

/** Makes a pod ready that may start, as `startsOn` says. */
function starts(
  first: number,
  mayStart: (pod: number, state: State) => boolean,
  isMeant: (podClass: number) => boolean,
): Steps {
  return (state) => {
    const next: State[] = [];
    for (let index = first; index < state.length; index++) {
      const pod = state[index] ?? 0;
      if (phaseOf(pod) !== STARTING || pod === state[index - 1]) continue;
      if (!isMeant(classOf(pod)) || !mayStart(pod, state)) continue;
      next.push(withChanged(state, first, pod, podCode(classOf(pod), READY, nodeOf(pod))));
    }
    return next;
  };
}

/** Ends a pod that is terminating. */
function ends(state: State, first: number): readonly State[] {
  const next: State[] = [];
  for (let index = first; index < state.length; index++) {
    const pod = state[index] ?? 0;
    if (phaseOf(pod) === TERMINATING && pod !== state[index - 1]) next.push(withoutPod(state, first, pod));
  }
  return next;
}

/**
 * Whether its volumes are on its node. One that the kubelet refuses for a host port counts as waiting for as
 * long as that is taken: its controller makes another each time (`pkg/kubelet/lifecycle/predicate.go:generalFilter`). A
 * volume for one pod is mounted for one (`pkg/volume/util/operationexecutor/operation_generator.go:GenerateMountVolumeFunc`).
 */
function startsOn(cluster: Cluster): (pod: number, state: State) => boolean {
  const first = podsFrom(cluster);
  const held = cluster.classes.map(({ volumes }) => volumes);
  const ports = portsConflict(cluster);
  const areForOnePod = cluster.volumes.some(({ isForOnePod }) => isForOnePod);
  return (pod, state) => {
    const [own, node] = [classOf(pod), nodeOf(pod)];
    const volumes = held[own] ?? [];
    for (const volume of volumes) {
      if (cluster.volumes[volume]?.isAttachedToOne && attachedTo(state, volume) !== node) return false;
    }
    if (ports === undefined && !areForOnePod) return true;
    let isItself = true;
    for (let index = first; index < state.length; index++) {
      const other = state[index] ?? 0;
      if (nodeOf(other) !== node || phaseOf(other) === WAITING) continue;
      if (other === pod && isItself) {
        isItself = false;
        continue;
      }
      // Of two that are refused for each other one is taken.
      if (phaseOf(other) === STARTING) continue;
      if (ports?.(own, classOf(other))) return false;
      if (volumes.some((volume) => cluster.volumes[volume]?.isForOnePod && held[classOf(other)]?.includes(volume))) {
        return false;
      }
    }
    return true;
  };
}
