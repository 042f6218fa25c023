import type { Steps } from '../cluster.ts';
import {
  classOf,
  nodeOf,
  phaseOf,
  podCode,
  type State,
  TERMINATING,
  WAITING,
  withChanged,
  withoutPod,
} from '../state.ts';

/** What a controller does about the pods of one workload, one step at a time. */
export interface Controller {
  /** Makes the pods that are due, all at once. */
  readonly create: Steps;
  /** Ends a pod; each that it may choose is a state. */
  readonly end: Steps;
}

/** A pod that has no node goes at once, any other when its kubelet has ended it. */
export function deleted(state: State, first: number, pod: number): State {
  if (phaseOf(pod) === WAITING) return withoutPod(state, first, pod);
  return withChanged(state, first, pod, podCode(classOf(pod), TERMINATING, nodeOf(pod)));
}

/** How many pods of these classes there are, in so far as they count. */
export function count(state: State, first: number, podClass: number, counts: (phase: number) => boolean): number {
  let pods = 0;
  for (let index = first; index < state.length; index++) {
    const pod = state[index] ?? 0;
    if (classOf(pod) === podClass && counts(phaseOf(pod))) pods++;
  }
  return pods;
}

/** Those that are going no longer count for any controller (`pkg/controller/controller_utils.go:IsPodActive`). */
export function isActive(phase: number): boolean {
  return phase !== TERMINATING;
}
