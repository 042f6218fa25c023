import { createdBecause, endedBecause } from './controller-steps.ts';
import type { FollowedPod, PodStep, Step } from './followed.ts';
import { bindings, type NodeStep } from './node-steps.ts';
import type { Telling } from './telling.ts';

/** A line, and the steps after which everything is as it says. */
export interface Happening {
  readonly line: string;
  readonly steps: readonly Step[];
}

/** What happens, one line for what belongs together: who does it, and why. */
export function happenings(telling: Telling): readonly Happening[] {
  let [isFirst, hasEnded] = [true, false];
  return grouped(telling.followed.steps).flatMap((group): readonly Happening[] => {
    const { untold } = group;
    if (group.type === 'nodes') {
      return bindings(group.steps, telling).map(({ line, steps }, index) => ({
        line,
        steps: index === 0 ? [...steps, ...untold] : steps,
      }));
    }
    const steps = [...group.steps, ...untold];
    const when = { isFirst, hasEnded };
    isFirst = false;
    if (group.step.type === 'created') return [{ line: createdBecause(group.step, when, telling), steps }];
    hasEnded = true;
    return [{ line: endedBecause(group.step, group.created, when, telling), steps }];
  });
}

interface OfController {
  readonly type: 'controller';
  readonly step: PodStep;
  /** In the place of those that the step ends. */
  readonly created: readonly FollowedPod[];
  /** All that are told of as one. */
  readonly steps: readonly PodStep[];
}

interface OfNodes {
  readonly type: 'nodes';
  readonly steps: readonly NodeStep[];
}

/** `untold` are steps that come before or among the others, and are not worth a line. */
type Group = (OfController | OfNodes) & { readonly untold: readonly Step[] };

function grouped(steps: readonly Step[]): readonly Group[] {
  const ended = new Set(steps.flatMap((step) => (step.type === 'ended' ? step.pods : [])));
  const groups: Group[] = [];
  let untold: Step[] = [];
  for (const step of steps) {
    // That a pod has gone which was told to.
    if (step.type === 'gone' && step.pods.every((pod) => ended.has(pod))) {
      untold.push(step);
      continue;
    }
    const last = groups.at(-1);
    const joined = last && joinedTo(last, step);
    if (last && joined) groups.splice(-1, 1, { ...joined, untold: [...last.untold, ...untold] });
    else groups.push({ ...groupOf(step), untold });
    untold = [];
  }
  return groups;
}

function groupOf(step: Step): OfController | OfNodes {
  if (!('pods' in step)) return { type: 'nodes', steps: [step] };
  return { type: 'controller', step, created: [], steps: [step] };
}

/** What the controller does twice is one step, and so is making new pods in the place of those that it has ended. */
function joinedTo(last: Group, step: Step): OfController | OfNodes | undefined {
  if (last.type === 'nodes') return 'pods' in step ? undefined : { type: 'nodes', steps: [...last.steps, step] };
  if (!('pods' in step)) return undefined;
  const steps = [...last.steps, step];
  if (step.type === last.step.type && last.created.length === 0) {
    return { ...last, step: { ...last.step, pods: [...last.step.pods, ...step.pods] }, steps };
  }
  const isInTheirPlace = last.step.type === 'ended' && step.type === 'created';
  return isInTheirPlace ? { ...last, created: [...last.created, ...step.pods], steps } : undefined;
}
