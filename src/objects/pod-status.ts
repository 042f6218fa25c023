import { countAt, type JsonObject, objectAt, objectsAt, stringAt, stringMapAt, stringsAt } from './json.ts';
import { anyPodFrom, hasEnded, isMirrorPod, type Pod, podConditionOf } from './pod.ts';

/** What a pod says of how it fares, beside what it holds. */
export interface PodStatus extends Pod {
  readonly uid: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly phase: string;
  /** It ran to its end. It holds no volume, but a claim that is being deleted waits for it too. */
  readonly ended: boolean;
  /** Any of its containers runs. Once none does, a pod that is being deleted holds no volume (`pkg/volume/util/util.go:IsPodTerminated`). */
  readonly isRunning: boolean;
  readonly isReady: boolean;
  /** On its node and yet to be started, and not for want of an image: its volumes or its network are not there. */
  readonly waitsForVolumes: boolean;
  /** Until when it was given to end, as the API writes times; present only while it is being deleted. */
  readonly endsBy: string | undefined;
  readonly graceSeconds: number | undefined;
  readonly finalizers: readonly string[];
  /** A static pod's image in the API, which cannot be deleted (`pkg/kubelet/types/pod_update.go:IsMirrorPod`). */
  readonly isMirror: boolean;
}

export function podStatusFrom(object: JsonObject): PodStatus {
  const metadata = objectAt(object, 'metadata');
  const status = objectAt(object, 'status');
  const pod = anyPodFrom(object);
  const isScheduled = pod.nodeName !== undefined && !hasEnded(status);
  const containers = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];
  return {
    ...pod,
    uid: stringAt(metadata, 'uid') ?? '',
    labels: stringMapAt(metadata, 'labels'),
    phase: stringAt(status, 'phase') ?? 'Pending',
    ended: hasEnded(status),
    isRunning: containers.some((list) => objectsAt(status, list).some(runs)),
    isReady: podConditionOf(status, 'Ready', 'True') !== undefined,
    // The condition comes before images are pulled (`pkg/kubelet/status/generate.go:GeneratePodReadyToStartContainersCondition`).
    waitsForVolumes:
      isScheduled && pod.isStarting && podConditionOf(status, 'PodReadyToStartContainers', 'True') === undefined,
    endsBy: stringAt(metadata, 'deletionTimestamp'),
    graceSeconds: countAt(metadata, 'deletionGracePeriodSeconds'),
    finalizers: stringsAt(metadata, 'finalizers'),
    isMirror: isMirrorPod(metadata),
  };
}

function runs(container: JsonObject): boolean {
  return objectAt(objectAt(container, 'state'), 'running') !== undefined;
}
