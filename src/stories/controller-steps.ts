import { READY } from '../forecast/state.ts';
import { isRolling, maxSurge, maxUnavailable, wanted } from './because.ts';
import { type FollowedPod, type Moment, type PodStep, podsAt } from './followed.ts';
import type { Occasion, Telling } from './telling.ts';

/** What the controller has done before. */
interface When {
  readonly isFirst: boolean;
  readonly hasEnded: boolean;
}

const LEADS: Readonly<Record<Occasion, string>> = {
  change: 'with this change ',
  'next change': 'at the next change of its template ',
  creation: '',
  autoscaling: '',
  'next run': '',
};

function controllerDoes({ isFirst }: When, { occasion, controller }: Telling): string {
  return `${isFirst ? LEADS[occasion] : ''}${controller}`;
}

/** Why a controller makes pods. */
export function createdBecause(step: PodStep, when: When, telling: Telling): string {
  const { names } = telling;
  const { pods } = step;
  if (!pods.every((pod) => telling.isOwn(pod))) return `${names.pods(pods)} are created, in whatever order`;
  return `${controllerDoes(when, telling)} creates ${names.pods(pods)}${reasonToCreate(step, when, telling)}`;
}

function reasonToCreate({ pods, before }: PodStep, { hasEnded }: When, telling: Telling): string {
  const { workload, names, occasion } = telling;
  const { kind, strategy, concurrencyPolicy, replicas } = workload;
  if (kind === 'StatefulSet') {
    const ready = readyOf(before, telling);
    return hasEnded || ready.length === 0 ? '' : `, now that ${names.podsDo(ready, 'are')} ready`;
  }
  if (occasion === 'autoscaling' || occasion === 'creation') {
    const because = occasion === 'creation' ? wanted(workload) : `the autoscaler may ask for ${replicas} replicas`;
    return `${standingFor(before, pods, telling)}, because ${because}`;
  }
  if (occasion === 'next run') {
    return ` while the first run has not finished, because concurrencyPolicy is ${concurrencyPolicy}`;
  }
  if (hasEnded) return '';
  if (isRolling(workload)) return ` before an old pod goes, because ${maxSurge(workload)}`;
  return strategy.type === 'DaemonSetRolling' && strategy.surges ? ' beside the old one, because it surges' : '';
}

/** Few may stand for many that would do the same. */
function standingFor(before: Moment, pods: readonly FollowedPod[], telling: Telling): string {
  const { replicas, onEveryNode } = telling.workload;
  const made = pods.length + podsAt(before, ({ pod }) => telling.isOwn(pod)).length;
  return made < replicas && !onEveryNode ? `, which stand for all ${replicas}` : '';
}

/** Why a controller ends pods, and what it makes in their place. */
export function endedBecause(step: PodStep, created: readonly FollowedPod[], when: When, telling: Telling): string {
  const { names } = telling;
  const { pods, type } = step;
  if (type === 'gone') return `${names.podsDo(pods, 'have')} ended`;
  const then = created.length === 0 ? '' : `; then it creates ${names.pods(created)}`;
  return `${controllerDoes(when, telling)} ends ${names.pods(pods)}${reasonToEnd(step, telling)}${then}`;
}

function reasonToEnd({ pods, before }: PodStep, telling: Telling): string {
  const { workload, names } = telling;
  if (workload.concurrencyPolicy === 'Replace') return ', because concurrencyPolicy is Replace';
  if (isRolling(workload)) {
    const isUp = before.standing.some(({ pod, phase }) => pods.includes(pod) && phase === READY);
    if (!isUp) return ` first, because ${pods.length > 1 ? 'they are' : 'it is'} not ready`;
    const ready = readyOf(before, telling);
    return ready.length > 0
      ? `, now that ${names.podsDo(ready, 'are')} ready`
      : `, because ${maxUnavailable(workload)}`;
  }
  switch (workload.strategy.type) {
    case 'Recreate':
      return ' first, because its strategy is Recreate';
    case 'StatefulSetRolling':
      return ', from the last pod to the first';
    default:
      return '';
  }
}

/** New pods of the workload that are ready. */
function readyOf(moment: Moment, telling: Telling): readonly FollowedPod[] {
  return podsAt(moment, ({ pod, phase }) => phase === READY && telling.isOwn(pod) && !telling.isOld(pod));
}
