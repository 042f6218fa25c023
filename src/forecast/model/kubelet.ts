import { type Cluster, podsFrom, type Steps } from './cluster.ts';
import { portsConflict } from './scheduler/node-ports.ts';
import { isUsable } from './scheduler/volume-binding.ts';
import {
  attachedTo,
  classOf,
  endedCode,
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

/**
 * Makes a pod ready whose volumes are on its node. One that the kubelet refuses for a host port counts as waiting for as
 * long as that is taken: its controller makes another each time (`pkg/kubelet/lifecycle/predicate.go:generalFilter`). A
 * volume for one pod is mounted for one (`pkg/volume/util/operationexecutor/operation_generator.go:GenerateMountVolumeFunc`).
 */
export function kubeletStarts(cluster: Cluster, isMeant: (podClass: number) => boolean): Steps {
  const first = podsFrom(cluster);
  const mayStart = startsOn(cluster);
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

/** Ends a pod that is terminating, and one that ends by itself. */
export function kubeletEnds(cluster: Cluster, endsByItself: (podClass: number) => boolean): Steps {
  const first = podsFrom(cluster);
  return (state) => {
    const next: State[] = [];
    for (let index = first; index < state.length; index++) {
      const pod = state[index] ?? 0;
      if (pod === state[index - 1]) continue;
      if (phaseOf(pod) === TERMINATING) next.push(withoutPod(state, first, pod));
      if (phaseOf(pod) !== READY || nodeOf(pod) < 0 || !endsByItself(classOf(pod))) continue;
      next.push(withChanged(state, first, pod, endedCode(classOf(pod))));
    }
    return next;
  };
}

/**
 * What a pod that goes past the scheduler has no other filter for: the kubelet mounts no volume on a node that its node
 * affinity leaves out (`operation_generator.go:checkNodeAffinity`), and none comes for a claim that waits for the scheduler
 * to choose a node (`pkg/controller/volume/persistentvolume/pv_controller.go:syncUnboundClaim`).
 */
export function mayMount({ classes, nodes }: Cluster): (podClass: number, node: number) => boolean {
  const scheduled = classes.filter(({ template }) => template.nodeName === undefined);
  const isMade = (volume: number): boolean =>
    scheduled.some(({ claims }) => claims.some((held) => held.volume === volume));
  const table = classes.map(({ template, claims }) =>
    template.nodeName === undefined
      ? undefined
      : nodes.map((node) =>
          claims.every(
            ({ claim, volume }) =>
              (node === undefined || isUsable(claim, node)) && (!claim.waitsForPod || isMade(volume)),
          ),
        ),
  );
  return (podClass, node) => table[podClass]?.[node] ?? true;
}

function startsOn(cluster: Cluster): (pod: number, state: State) => boolean {
  const first = podsFrom(cluster);
  const mounts = mayMount(cluster);
  const held = cluster.classes.map(({ claims }) => claims.map(({ volume }) => volume));
  const ports = portsConflict(cluster);
  return (pod, state) => {
    const [own, node] = [classOf(pod), nodeOf(pod)];
    const volumes = held[own] ?? [];
    if (!mounts(own, node)) return false;
    for (const volume of volumes) {
      if (cluster.volumes[volume]?.isAttachedToOne && attachedTo(state, volume) !== node) return false;
    }
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
      if (ports(own, classOf(other))) return false;
      if (volumes.some((volume) => cluster.volumes[volume]?.isForOnePod && held[classOf(other)]?.includes(volume))) {
        return false;
      }
    }
    return true;
  };
}
