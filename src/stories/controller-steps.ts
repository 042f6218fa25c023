import { READY } from '../forecast/state.ts';
import { isRolling, maxSurge, maxUnavailable, wanted } from './because.ts';
import type { FollowedPod, Moment, PodStep } from './followed.ts';
import { isOrAre } from './node-steps.ts';
import { controllerOf, type Telling } from './telling.ts';

/** Why a controller makes pods. */
export function createdBecause(
  { pods, before }: PodStep,
  { isFirst, hasEnded }: { readonly isFirst: boolean; readonly hasEnded: boolean },
  telling: Telling,
): string {
  const { workload, names, occasion, way } = telling;
  if (pods.some(({ podClass }) => !way.question.world.cluster.classes[podClass]?.isOwn)) {
    return `${names.pods(pods)} are created, in whatever order`;
  }
  const created = `${isFirst ? lead(telling) : ''}${controllerOf(telling)} creates ${names.pods(pods)}`;
  if (workload.kind === 'StatefulSet') {
    const ready = readyOf(before, telling);
    return !hasEnded && ready.length > 0 ? `${created}, now that ${names.pods(ready)} is ready` : created;
  }
  if (occasion === 'autoscaling') {
    return `${created}${standingFor(before, pods, telling)}, because the autoscaler may ask for ${workload.replicas} replicas`;
  }
  if (occasion === 'creation') return `${created}${standingFor(before, pods, telling)}, because ${wanted(workload)}`;
  if (occasion === 'next run') {
    return `${created} while the first run has not finished, because concurrencyPolicy is ${workload.concurrencyPolicy}`;
  }
  if (hasEnded) return created;
  if (isRolling(workload)) return `${created} before an old pod goes, because ${maxSurge(workload)}`;
  return workload.strategy.type === 'InPlace' && workload.strategy.surges
    ? `${created} beside the old one, because it surges`
    : created;
}

/** Few may stand for many that would do the same. */
function standingFor({ standing }: Moment, pods: readonly FollowedPod[], { workload, way }: Telling): string {
  const { classes } = way.question.world.cluster;
  const made = pods.length + standing.filter(({ pod }) => classes[pod.podClass]?.isOwn).length;
  return made < workload.replicas && !workload.onEveryNode ? `, which stand for all ${workload.replicas}` : '';
}

function lead({ occasion }: Telling): string {
  switch (occasion) {
    case 'change':
      return 'with this change ';
    case 'next change':
      return 'at the next change of its template ';
    case 'creation':
    case 'autoscaling':
    case 'next run':
      return '';
    default:
      return occasion satisfies never;
  }
}

/** Why a controller ends pods, and what it makes in their place. */
export function endedBecause(
  { pods, before, type }: PodStep,
  created: readonly FollowedPod[],
  isFirst: boolean,
  telling: Telling,
): string {
  const { names } = telling;
  if (type === 'gone') return `${names.pods(pods)} ${pods.length > 1 ? 'have' : 'has'} ended`;
  const then = created.length === 0 ? '' : `; then it creates ${names.pods(created)}`;
  const because = reasonToEnd(pods, before, telling);
  return `${isFirst ? lead(telling) : ''}${controllerOf(telling)} ends ${names.pods(pods)}${because}${then}`;
}

function reasonToEnd(pods: readonly FollowedPod[], before: Moment, telling: Telling): string {
  const { workload, names } = telling;
  if (workload.concurrencyPolicy === 'Replace') return ', because concurrencyPolicy is Replace';
  const isUp = before.standing.some(({ pod, phase }) => pods.includes(pod) && phase === READY);
  if (isRolling(workload)) {
    if (!isUp) return ` first, because ${pods.length > 1 ? 'they are' : 'it is'} not ready`;
    const ready = readyOf(before, telling);
    return ready.length > 0
      ? `, now that ${names.pods(ready)} ${isOrAre(ready)} ready`
      : `, because ${maxUnavailable(workload)}`;
  }
  switch (workload.strategy.type) {
    case 'Recreate':
      return ' first, because its strategy is Recreate';
    case 'OneByOne':
      return ', from the last pod to the first';
    default:
      return '';
  }
}

/** New pods of the workload that are ready. */
function readyOf({ standing }: Moment, { way, isOld }: Telling): readonly FollowedPod[] {
  const { classes } = way.question.world.cluster;
  return standing
    .filter(({ pod, phase }) => phase === READY && classes[pod.podClass]?.isOwn && !isOld(pod.podClass))
    .map(({ pod }) => pod);
}
