import type { Cluster, Steps } from '../cluster.ts';
import { classOf, phaseOf, type State, TERMINATING, WAITING } from '../state.ts';
import type { Scheduler } from './scheduler.ts';

/**
 * A pod that no node takes is tried again when something happens that may help it. That an old pod begins to go does not count
 * for that, although a spread counts that one no longer
 * (`pkg/scheduler/framework/plugins/podtopologyspread/plugin.go:isSchedulableAfterPodChange`); that it has gone does, but then
 * nobody may be left whom the affinity of the pod means.
 */
export function endedUnseen(
  end: Steps,
  { cluster, scheduler }: { readonly cluster: Cluster; readonly scheduler: Scheduler },
): Steps {
  const { classes, nodes, budget } = cluster;
  const mayMissIt = classes.map(({ template }) => template.spread.length > 0 && template.podAffinity.length > 0);
  if (!mayMissIt.includes(true)) return end;
  const isAlone = (podClass: number, state: State): boolean => {
    budget.spend(nodes.length);
    return !nodes.some((_, node) => scheduler.fitsNode(podClass, node) && scheduler.isTogether(podClass, node, state));
  };
  return (state) => {
    const next = end(state);
    const waiting = state.filter((pod) => phaseOf(pod) === WAITING && mayMissIt[classOf(pod)]);
    if (waiting.length === 0 || scheduler.bind(state).length > 0) return next;
    const gone = next.map((one) => one.filter((pod) => phaseOf(pod) !== TERMINATING));
    return [...next, ...gone.filter((one) => waiting.some((pod) => isAlone(classOf(pod), one)))];
  };
}
