import type { V1Node, V1Pod, V1VolumeAttachment } from '@kubernetes/client-node';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { BYSTANDER, NEIGHBOUR } from './draft.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** Everything of one scenario at one moment. */
export interface Sight {
  readonly workload: WorkloadSeen | undefined;
  /** Of the workload, without those that have ended. */
  readonly pods: readonly V1Pod[];
  /** Of another workload. */
  readonly others: readonly V1Pod[];
  readonly nodes: readonly V1Node[];
  readonly attachments: readonly V1VolumeAttachment[];
  /** Pods that a kubelet refused, by uid, with its reason. */
  readonly rejected: ReadonlyMap<string, string>;
  /** How often the time came for another run while one was going, and the CronJob let it be or took that one away. */
  readonly laterRuns: number;
}

/** A workload's numbers under the names that its kind gives them. */
export interface WorkloadSeen extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly parallelism?: number;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
    readonly concurrencyPolicy?: string;
    readonly jobTemplate?: { readonly spec: { readonly parallelism?: number } };
  };
  readonly status?: WorkloadStatus;
}

type PodCount =
  | 'observedGeneration'
  | 'replicas'
  | 'readyReplicas'
  | 'availableReplicas'
  | 'updatedReplicas'
  | 'desiredNumberScheduled'
  | 'updatedNumberScheduled'
  | 'numberAvailable';

type WorkloadStatus = Readonly<Partial<Record<PodCount, number>>> & {
  /** A number of pods for a Job, the Jobs themselves for a CronJob. */
  readonly active?: number | readonly { readonly name?: string }[];
};

export function sightOf(world: World, { namespace, wanted, nodes }: Scenario): Sight {
  const workload = world.workloadsOf(wanted.kind ?? '').get(namespace, wanted.metadata?.name ?? '');
  const own = nodes.flatMap(({ metadata }) => world.nodes.get('', metadata?.name ?? '') ?? []);
  const names = new Set(own.map(({ metadata }) => metadata?.name));
  const pods = world.pods.in(namespace).filter((pod) => !hasEnded(pod));
  const isOther = ({ metadata }: V1Pod): boolean => metadata?.labels?.app === NEIGHBOUR;
  const isBystander = ({ metadata }: V1Pod): boolean => metadata?.labels?.app === BYSTANDER;
  return {
    workload: workload as WorkloadSeen | undefined,
    pods: pods.filter((pod) => !isOther(pod) && !isBystander(pod)),
    others: pods.filter(isOther),
    nodes: own,
    attachments: world.attachments.in('').filter(({ spec }) => names.has(spec.nodeName)),
    rejected: new Map(world.rejections.get(namespace)),
    laterRuns: world.laterRuns.in(namespace).length,
  };
}

function hasEnded({ status, metadata }: V1Pod): boolean {
  return metadata?.deletionTimestamp === undefined && (status?.phase === 'Failed' || status?.phase === 'Succeeded');
}

export function isReady({ status, metadata }: V1Pod): boolean {
  if (metadata?.deletionTimestamp !== undefined) return false;
  return (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');
}

export function isGoing({ metadata }: V1Pod): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** Changes whenever something happens that could lead on. */
export function fingerprint({ workload, pods, attachments, nodes, laterRuns }: Sight): string {
  return JSON.stringify([
    laterRuns,
    workload?.spec,
    workload?.status,
    pods.map((pod) => [
      pod.metadata?.uid,
      pod.spec?.nodeName,
      pod.status?.phase,
      isReady(pod),
      isGoing(pod),
      scheduling(pod)?.reason,
    ]),
    attachments.map(({ metadata, status }) => [metadata?.uid, status?.attached, metadata?.deletionTimestamp]),
    nodes.map(({ spec, status }) => [spec, status?.volumesAttached, status?.volumesInUse]),
  ]);
}

export function scheduling({ status }: V1Pod) {
  return (status?.conditions ?? []).find(({ type, status }) => type === 'PodScheduled' && status === 'False');
}
