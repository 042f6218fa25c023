import { type Cluster, podsFrom } from '../cluster.ts';
import { classOf, phaseOf, READY, type State, TERMINATING, withPod } from '../state.ts';
import { type Controller, deleted } from './controller.ts';
import { newPod } from './new-pod.ts';

export interface StatefulRollout {
  /** By ordinal the class of its old pod and that of its new one. */
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** The same of pods that an update which hangs has not replaced; nothing where none does. */
  readonly older: readonly number[];
  /** Ordinals below keep their revision. */
  readonly partition: number;
  readonly parallel: boolean;
}

/**
 * `pkg/controller/statefulset/stateful_set_control.go:updateStatefulSet`: each pod only when all before it are ready; in
 * parallel all come at once, and one is replaced when those after it are ready.
 */
export function statefulSet(cluster: Cluster, { from, to, older, partition, parallel }: StatefulRollout): Controller {
  const first = podsFrom(cluster);
  const podAt = (state: State, ordinal: number): number | undefined => {
    for (let index = first; index < state.length; index++) {
      const podClass = classOf(state[index] ?? 0);
      if (podClass === from[ordinal] || podClass === to[ordinal] || podClass === older[ordinal]) return state[index];
    }
    return undefined;
  };
  /** The first ordinal whose pod is not there or not ready, or the number of pods. */
  const firstUnready = (state: State): number => {
    const at = to.findIndex((_, ordinal) => {
      const pod = podAt(state, ordinal);
      return pod === undefined || phaseOf(pod) !== READY;
    });
    return at < 0 ? to.length : at;
  };
  const isWanted = cluster.classes.map(({ index }) => [from, to, older].some((classes) => classes.includes(index)));
  /** Pods beyond the number that is wanted, the last one first. */
  const condemnedIn = (state: State): readonly number[] =>
    state
      .slice(first)
      .filter((pod) => cluster.classes[classOf(pod)]?.isOwn && !isWanted[classOf(pod)])
      .toReversed();
  const firstMissing = (state: State): number => {
    const at = to.findIndex((_, ordinal) => podAt(state, ordinal) === undefined);
    return at < 0 ? to.length : at;
  };
  /** `stateful_set_control.go:processCondemned`: one after the other has to go, or in parallel all are told at once. */
  const scaledDown = (state: State): readonly State[] | undefined => {
    const condemned = condemnedIn(state);
    const staying = condemned.filter((pod) => phaseOf(pod) !== TERMINATING);
    const [last] = staying;
    if (condemned.length === 0 || (parallel && last === undefined)) return undefined;
    if (parallel) return [staying.reduce((left, pod) => deleted(left, first, pod), state)];
    return last === undefined || staying.length < condemned.length ? [] : [deleted(state, first, last)];
  };
  return {
    create(state) {
      const ordinal = parallel ? firstMissing(state) : firstUnready(state);
      if (ordinal === to.length || podAt(state, ordinal) !== undefined) return [];
      const podClass = (ordinal < partition ? from : to)[ordinal] ?? 0;
      return [withPod(state, first, newPod(cluster, podClass))];
    },
    end(state) {
      if (!parallel && firstUnready(state) < to.length) return [];
      const fewer = scaledDown(state);
      if (fewer !== undefined) return fewer;
      for (let ordinal = to.length - 1; ordinal >= partition; ordinal--) {
        const pod = podAt(state, ordinal) ?? 0;
        if (phaseOf(pod) === TERMINATING) return [];
        if (classOf(pod) !== to[ordinal]) return [deleted(state, first, pod)];
        if (phaseOf(pod) !== READY) return [];
      }
      return [];
    },
  };
}
