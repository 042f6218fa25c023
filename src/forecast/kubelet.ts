import { type Cluster, podsFrom, type Steps } from './cluster.ts';
import { portsConflict } from './scheduler/node-ports.ts';
import { volumeBinding } from './scheduler/volume-binding.ts';
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
  withChanged,
  withoutPod,
} from './state.ts';

/** What kubelets do. */
export interface Kubelets {
  /** Makes pods of these classes ready. */
  readonly start: (isMeant: (podClass: number) => boolean) => Steps;
  /** Ends pods that are terminating, and those of classes that end by themselves. */
  readonly end: (endsByItself: (podClass: number) => boolean) => Steps;
  /** Whether the volumes of pods of a class may be mounted on a node. */
  readonly mayMount: (podClass: number, node: number) => boolean;
}

export function kubelets(cluster: Cluster): Kubelets {
  const first = podsFrom(cluster);
  const mounts = mayMount(cluster);
  const mayStart = startsOn(cluster, mounts);
  return {
    start: (isMeant) => starts(first, mayStart, isMeant),
    end: (endsByItself) => (state) => ends(state, first, endsByItself),
    mayMount: mounts,
  };
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

/** Ends a pod that is terminating, and one that ends by itself. */
function ends(state: State, first: number, endsByItself: (podClass: number) => boolean): readonly State[] {
  const next: State[] = [];
  for (let index = first; index < state.length; index++) {
    const pod = state[index] ?? 0;
    if (pod === state[index - 1]) continue;
    if (phaseOf(pod) === TERMINATING) next.push(withoutPod(state, first, pod));
    if (phaseOf(pod) !== READY || nodeOf(pod) < 0 || !endsByItself(classOf(pod))) continue;
    next.push(withChanged(state, first, pod, endedCode(classOf(pod))));
  }
  return next;
}

/**
 * What a pod that goes past the scheduler has no other filter for: the kubelet mounts no volume on a node that its node
 * affinity leaves out (`operation_generator.go:checkNodeAffinity`), and none comes for a claim that waits for the scheduler
 * to choose a node (`pkg/controller/volume/persistentvolume/pv_controller.go:syncUnboundClaim`).
 */
function mayMount({ classes, nodes, search, budget }: Cluster): Kubelets['mayMount'] {
  const isMade = (volume: number): boolean =>
    classes.some(({ template, volumes }) => template.nodeName === undefined && volumes.includes(volume));
  const table = classes.map((podClass) => {
    const { template } = podClass;
    const claims = podClass.claims.filter(({ claim }) => !claim.unmounted);
    if (template.nodeName === undefined || claims.length === 0) return undefined;
    budget.spend(classes.length * claims.length + nodes.length);
    if (claims.some(({ claim, volume }) => claim.waitsForPod && !isMade(volume))) return nodes.map(() => false);
    const isUsable = search && volumeBinding({ claims }, search);
    return isUsable && nodes.map((node) => node === undefined || isUsable(node));
  });
  return (podClass, node) => table[podClass]?.[node] ?? true;
}

/**
 * Whether the volumes that its containers mount are on its node: the kubelet knows no others
 * (`pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go:processPodVolumes`). One that the kubelet refuses for a host port counts as waiting for as
 * long as that is taken: its controller makes another each time (`pkg/kubelet/lifecycle/predicate.go:generalFilter`). A
 * volume for one pod is mounted for one (`pkg/volume/util/operationexecutor/operation_generator.go:GenerateMountVolumeFunc`).
 */
function startsOn(cluster: Cluster, mounts: Kubelets['mayMount']): (pod: number, state: State) => boolean {
  const first = podsFrom(cluster);
  const held = cluster.classes.map(({ mounted }) => mounted);
  const ports = portsConflict(cluster);
  const areForOnePod = cluster.volumes.some(({ isForOnePod }) => isForOnePod);
  return (pod, state) => {
    const [own, node] = [classOf(pod), nodeOf(pod)];
    const volumes = held[own] ?? [];
    if (!mounts(own, node)) return false;
    for (const volume of volumes) {
      if (cluster.volumes[volume]?.isAttachedToOne && attachedTo(state, volume) !== node) return false;
    }
    if (ports === undefined && !areForOnePod) return true;
    for (let index = first; index < state.length; index++) {
      const other = state[index] ?? 0;
      if (nodeOf(other) !== node) continue;
      // It is one of them, and of two that are refused for each other one is taken.
      if (phaseOf(other) === STARTING) continue;
      if (ports?.(own, classOf(other))) return false;
      if (volumes.some((volume) => cluster.volumes[volume]?.isForOnePod && held[classOf(other)]?.includes(volume))) {
        return false;
      }
    }
    return true;
  };
}
