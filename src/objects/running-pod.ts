import { countAt, type JsonObject, labelsAt, objectAt, objectsAt, stringAt } from './json.ts';
import { isMirrorPod, type Pod, podFrom } from './pod.ts';
import { type Taint, tolerates, tolerationsAt } from './toleration.ts';

/** A pod with what decides how it leaves its node. */
export interface RunningPod extends Pod {
  readonly labels: ReadonlyMap<string, string>;
  readonly graceSeconds: number;
  /** So long it stays on a node that does not answer; `never` where nothing evicts it. */
  readonly evictedAfter: number | 'never';
  /** A static pod's image in the API, which nobody can evict (`pkg/kubelet/types/pod_update.go:IsMirrorPod`). */
  readonly isMirror: boolean;
}

/** `pkg/apis/core/v1/defaults.go:SetDefaults_PodSpec`. */
const DEFAULT_GRACE_SECONDS = 30;

/** Nothing of a pod that has ended. */
export function runningPodFrom(object: JsonObject): RunningPod | undefined {
  const pod = podFrom(object);
  if (pod === undefined) return undefined;
  const [metadata, spec] = [objectAt(object, 'metadata'), objectAt(object, 'spec')];
  return {
    ...pod,
    labels: labelsAt(metadata, 'labels'),
    graceSeconds: countAt(spec, 'terminationGracePeriodSeconds') ?? DEFAULT_GRACE_SECONDS,
    evictedAfter: evictedAfter(spec),
    isMirror: isMirrorPod(metadata),
  };
}

/** What a node gets that has gone silent (`pkg/controller/nodelifecycle/node_lifecycle_controller.go:UnreachableTaintTemplate`). */
export const UNREACHABLE: Taint = { key: 'node.kubernetes.io/unreachable', value: '', effect: 'NoExecute' };

/**
 * Of the tolerations that match, the one with the fewest seconds counts; one without seconds lasts
 * (`pkg/controller/tainteviction/taint_eviction.go:processPodOnNode`).
 */
function evictedAfter(spec: JsonObject | undefined): number | 'never' {
  const seconds = objectsAt(spec, 'tolerations');
  const matching = tolerationsAt(spec, 'tolerations').flatMap((toleration, index) =>
    tolerates(toleration, UNREACHABLE) ? [secondsOf(seconds[index])] : [],
  );
  if (matching.length === 0) return 0;
  const least = Math.min(...matching);
  return least === Number.POSITIVE_INFINITY ? 'never' : least;
}

/** Seconds below zero are taken for none. */
function secondsOf(toleration: JsonObject | undefined): number {
  const seconds = toleration?.tolerationSeconds;
  return typeof seconds === 'number' ? Math.max(0, seconds) : Number.POSITIVE_INFINITY;
}

/** Whether a Job makes a pod anew only once the one before has ended, and not when it is deleted (`pkg/controller/job/job_controller.go:onlyReplaceFailedPods`). */
export function replacesOnlyFailed(job: JsonObject): boolean {
  const spec = objectAt(job, 'spec');
  return stringAt(spec, 'podReplacementPolicy') === 'Failed' || objectAt(spec, 'podFailurePolicy') !== undefined;
}
