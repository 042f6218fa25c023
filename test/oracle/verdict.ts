import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { disksOf, isDisk } from './kubelet/disks.ts';
import { userOfOnePodClaim } from './one-pod-claims.ts';
import { isGoing, isReady, type Sight, scheduling, type WorkloadSeen } from './sight.ts';
import { CLOSED } from './stage.ts';
import type { World } from './world.ts';

/** Refused one after the other while no pod is going, it goes on like that: the ReplicaSet makes a new pod for each. */
const REJECTIONS_TO_BELIEVE = 3;

/** Whether the controllers have done all that the workload asks for, at this generation or a later one. */
export function isFinished({ workload, pods, laterRuns }: Sight, generation: number): boolean {
  if (workload === undefined || pods.some(isGoing) || !pods.every(isReady)) return false;
  const { spec, status = {} } = workload;
  const seen = (status.observedGeneration ?? 0) >= generation;
  const replicas = spec.replicas ?? 1;
  switch (workload.kind) {
    case 'Job':
      return status.active === (spec.parallelism ?? 1) && pods.length === status.active;
    case 'CronJob':
      return hasRunAgain(spec, status, pods, laterRuns);
    case 'StatefulSet': {
      if (!seen || pods.length !== replicas || (status.availableReplicas ?? 0) !== replicas) return false;
      const { type, rollingUpdate } = spec.updateStrategy ?? {};
      return type === 'OnDelete' || (status.updatedReplicas ?? 0) >= replicas - (rollingUpdate?.partition ?? 0);
    }
    case 'DaemonSet': {
      const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = status;
      return seen && updatedNumberScheduled === desiredNumberScheduled && numberAvailable === desiredNumberScheduled;
    }
    case 'ReplicaSet':
      return seen && (status.readyReplicas ?? 0) === replicas && pods.length === replicas;
    default: {
      if (!seen || pods.length !== replicas || (status.replicas ?? 0) !== replicas) return false;
      if ((status.availableReplicas ?? 0) !== replicas) return false;
      return spec.paused === true || (status.updatedReplicas ?? 0) === replicas;
    }
  }
}

/** Once more after the first: beside it, in its place, or not at all, as the policy says. */
function hasRunAgain(
  { concurrencyPolicy, jobTemplate }: WorkloadSeen['spec'],
  { active }: NonNullable<WorkloadSeen['status']>,
  pods: readonly V1Pod[],
  laterRuns: number,
): boolean {
  const each = jobTemplate?.spec.parallelism ?? 1;
  if (concurrencyPolicy === 'Allow') return pods.length >= 2 * each;
  const runs = new Set(Array.isArray(active) ? active.map(({ name }) => name) : []);
  const current = pods.every(({ metadata }) => metadata?.ownerReferences?.some(({ name }) => runs.has(name)));
  return laterRuns > 0 && pods.length === each && current;
}

/**
 * Why each waiting pod waits, read from objects; `undefined` while some pod is on its way or cannot be explained. Where
 * nothing changes any more and this has an answer, nothing ever will: whatever a pod waits for is held by a pod that
 * nobody deletes.
 */
export function reasonsToWait(sight: Sight, world: World, rejectedBefore: number): readonly string[] | undefined {
  const { pods, rejected } = sight;
  if (pods.some(isGoing)) return undefined;
  if (rejected.size - rejectedBefore >= REJECTIONS_TO_BELIEVE) {
    return [`kubelet refuses its pods: ${[...rejected.values()][0]}`];
  }
  const reasons: string[] = [];
  for (const pod of pods) {
    if (isReady(pod)) continue;
    const reason = reasonToWait(pod, sight, world);
    if (reason === undefined) return undefined;
    reasons.push(reason);
  }
  return reasons.length === 0 ? undefined : reasons;
}

/** Said of a pod whose claim is just being made or bound, also while the scheduler already waits for that. */
const IN_THE_MAKING = /waiting for ephemeral volume controller|unbound immediate/;

/** Said of nodes that are kept closed in the beginning; once all of them are open, the scheduler has not yet looked again. */
const NO_ROOM = /Too many pods/;

function hasRoom({ status }: V1Node): boolean {
  return status?.allocatable?.pods !== CLOSED;
}

function reasonToWait(pod: V1Pod, sight: Sight, world: World): string | undefined {
  const name = pod.metadata?.name;
  const unscheduled = scheduling(pod);
  const message = unscheduled?.message ?? '';
  if (IN_THE_MAKING.test(message) || (NO_ROOM.test(message) && sight.nodes.every(hasRoom))) return undefined;
  if (unscheduled?.reason === 'Unschedulable') {
    const user = userOfOnePodClaim(pod, [...sight.pods, ...sight.others], world.claims);
    return `${name} is not scheduled: ${message}${user === undefined ? '' : `; ${user} has its claim for one pod`}`;
  }
  const node = pod.spec?.nodeName;
  if (node === undefined) return undefined;
  for (const disk of disksOf(pod, world) ?? []) {
    if (disk.manyNodes) continue;
    const holder = [...sight.pods, ...sight.others].find((other) => other !== pod && holds(other, disk, sight, world));
    if (holder === undefined) continue;
    const where = holder.spec?.nodeName;
    if (where === node && !disk.onePod) continue;
    return `${name} on ${node} waits for ${disk.disk}, which ${holder.metadata?.name} holds on ${where}`;
  }
  return undefined;
}

/**
 * What the scheduler says when other pods are in the way. Without any of it the pod has no node even in an empty
 * cluster: that is a matter of capacity, which a new node ends, and no scenario is meant to be about it.
 */
const OTHER_PODS =
  /affinity rules|anti-affinity|free ports|topology spread|ReadWriteOncePod|no available disk|Too many pods/;

/** A pod that no node would take even if it were alone; `undefined` if there is none. */
export function podWithoutNode({ pods, rejected }: Sight): string | undefined {
  for (const [name, reason] of rejected) if (reason !== 'NodePorts') return `${name}: ${reason}`;
  for (const pod of pods) {
    const unscheduled = scheduling(pod);
    if (unscheduled?.reason !== 'Unschedulable') continue;
    const because = (unscheduled.message ?? '').split('preemption:')[0] ?? '';
    if (!OTHER_PODS.test(because) && !IN_THE_MAKING.test(because)) return `${pod.metadata?.name}: ${because}`;
  }
  return undefined;
}

/** Whether the pod keeps the disk attached to its node: it needs it there, and it is. */
function holds(pod: V1Pod, disk: Parameters<typeof isDisk>[1], { nodes }: Sight, world: World): boolean {
  const node = nodes.find(({ metadata }) => metadata?.name === pod.spec?.nodeName);
  const attached = (node?.status?.volumesAttached ?? []).some(({ name }) => isDisk(name, disk));
  return attached && (disksOf(pod, world) ?? []).some((own) => own.disk === disk.disk && own.plugin === disk.plugin);
}
