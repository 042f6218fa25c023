import { createdBecause, endedBecause } from './controller-steps.ts';
import type { FollowedPod, PodStep, Step } from './followed.ts';
import { bindings, type NodeStep } from './node-steps.ts';
import type { Telling } from './telling.ts';

/** What happens, one line for what belongs together: who does it, and why. */
export function happenings(telling: Telling): readonly string[] {
  let [isFirst, hasEnded] = [true, false];
  return grouped(withoutGone(telling.followed.steps)).flatMap((group): readonly string[] => {
    if (group.type === 'nodes') return bindings(group.steps, telling);
    const when = { isFirst, hasEnded };
    isFirst = false;
    if (group.step.type === 'created') return [createdBecause(group.step, when, telling)];
    hasEnded = true;
    return [endedBecause(group.step, group.created, when, telling)];
  });
}

interface OfController {
  readonly type: 'controller';
  readonly step: PodStep;
  /** In the place of those that the step ends. */
  readonly created: readonly FollowedPod[];
}

type Group = OfController | { readonly type: 'nodes'; readonly steps: readonly NodeStep[] };

/** That a pod has gone which was told to is not worth a line. */
function withoutGone(steps: readonly Step[]): readonly Step[] {
  const told = new Set(steps.flatMap((step) => (step.type === 'ended' ? step.pods : [])));
  return steps.filter((step) => step.type !== 'gone' || !step.pods.every((pod) => told.has(pod)));
}

function grouped(steps: readonly Step[]): readonly Group[] {
  const groups: Group[] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    const joined = last && joinedTo(last, step);
    if (joined !== undefined) groups.splice(-1, 1, joined);
    else groups.push('pods' in step ? { type: 'controller', step, created: [] } : { type: 'nodes', steps: [step] });
  }
  return groups;
}

/** What the controller does twice is one step, and so is making new pods in the place of those that it has ended. */
function joinedTo(last: Group, step: Step): Group | undefined {
  if (last.type === 'nodes') return 'pods' in step ? undefined : { ...last, steps: [...last.steps, step] };
  if (!('pods' in step)) return undefined;
  if (step.type === last.step.type && last.created.length === 0) {
    return { ...last, step: { ...last.step, pods: [...last.step.pods, ...step.pods] } };
  }
  const isInTheirPlace = last.step.type === 'ended' && step.type === 'created';
  return isInTheirPlace ? { ...last, created: [...last.created, ...step.pods] } : undefined;
}
