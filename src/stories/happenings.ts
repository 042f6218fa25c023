import { createdBecause, endedBecause } from './controller-steps.ts';
import type { FollowedPod, PodStep, Step } from './followed.ts';
import { bindings, type NodeStep } from './node-steps.ts';
import type { Telling } from './telling.ts';

/** What happens, one line for what belongs together: who does it, and why. */
export function happenings(telling: Telling): readonly string[] {
  const groups = grouped(withoutGone(telling.followed.steps));
  let isFirst = true;
  let ended: readonly FollowedPod[] = [];
  return groups.flatMap((group): readonly string[] => {
    if (group.type === 'nodes') return bindings(group.steps, telling);
    const wasFirst = isFirst;
    isFirst = false;
    if (group.step.type !== 'created') {
      ended = group.step.pods;
      return [endedBecause(group.step, group.created, wasFirst, telling)];
    }
    const line = createdBecause(group.step, { isFirst: wasFirst, hasEnded: ended.length > 0 }, telling);
    return [line];
  });
}

type Group =
  | { readonly type: 'controller'; readonly step: PodStep; readonly created: readonly FollowedPod[] }
  | { readonly type: 'nodes'; readonly steps: readonly NodeStep[] };

/** That a pod has gone which was told to is not worth a line. */
function withoutGone(steps: readonly Step[]): readonly Step[] {
  const told = new Set(steps.flatMap((step) => (step.type === 'ended' ? step.pods : [])));
  return steps.filter((step) => step.type !== 'gone' || !step.pods.every((pod) => told.has(pod)));
}

function grouped(steps: readonly Step[]): readonly Group[] {
  const groups: Group[] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    switch (step.type) {
      case 'bound':
      case 'ready':
      case 'attached':
        if (last?.type === 'nodes') groups.splice(-1, 1, { ...last, steps: [...last.steps, step] });
        else groups.push({ type: 'nodes', steps: [step] });
        break;
      case 'created':
      case 'ended':
      case 'gone':
        if (last?.type !== 'controller') groups.push({ type: 'controller', step, created: [] });
        else groups.splice(-1, 1, ...joined(last, step));
        break;
      default:
        step satisfies never;
    }
  }
  return groups;
}

/** What the controller does twice is one step, and so is making new pods in the place of those that it has ended. */
function joined(last: Extract<Group, { readonly type: 'controller' }>, step: PodStep): readonly Group[] {
  const pods = [...last.step.pods, ...step.pods];
  if (step.type === last.step.type && last.created.length === 0) {
    return [{ ...last, step: { ...last.step, pods } }];
  }
  if (last.step.type === 'ended' && step.type === 'created') {
    return [{ ...last, created: [...last.created, ...step.pods] }];
  }
  return [last, { type: 'controller', step, created: [] }];
}
