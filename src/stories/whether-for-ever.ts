import { READY, TERMINATING, WAITING } from '../forecast/state.ts';
import { isRolling, maxUnavailable, oldStayBecause } from './because.ts';
import type { FollowedPod } from './followed.ts';
import { controllerOf, type Telling } from './telling.ts';

/** What ends the wait, or that nothing does. */
export function whetherForEver(
  waiting: readonly FollowedPod[],
  holders: readonly FollowedPod[],
  telling: Telling,
): readonly string[] {
  const { way, followed, names, workload, occasion } = telling;
  const { classes } = way.question.world.cluster;
  const [who, waits] = [names.pods(waiting), waiting.length > 1 ? 'wait' : 'waits'];
  if (way.waits.length === 0) return passes(waiting, holders, telling);
  const isOthers = (pod: FollowedPod): boolean => !classes[pod.podClass]?.isOwn;
  if (holders.length > 0 && holders.every(isOthers))
    return [`${who} ${waits} for as long as ${names.pods(holders)} ${holders.length > 1 ? 'run' : 'runs'}`];
  const old = oldPods(telling);
  const isByOld = holders.length === 0 ? old.length > 0 : holders.some((pod) => telling.isOld(pod.podClass));
  if (occasion === 'next run')
    return [`${who} ${waits} until ${names.pods(holders.length > 0 ? holders : old)} has finished`];
  const mutual = followed.end.standing.some(({ pod, phase }) => phase === WAITING && isOthers(pod));
  if (mutual) return ['neither can be the first: both wait for ever'];
  const untilNode = way.waits.some(({ cause }) => cause === 'too-few-nodes');
  const until = untilNode ? 'until a node joins' : 'for ever';
  if (isByOld) {
    const stays = `${names.pods(old)} ${old.length > 1 ? 'stay' : 'stays'} until ${who} ${waiting.length > 1 ? 'are' : 'is'} ready`;
    return [`${controllerOf(telling)} ${oldStayBecause(workload)}: ${stays}`, `so the rollout waits ${until}`];
  }
  if (workload.kind === 'Job' || workload.kind === 'CronJob') {
    if (holders.length === 0) return ['so one of them waits for as long as the other runs'];
    return [`${who} ${waits} for as long as ${names.pods(holders)} ${holders.length === 1 ? 'runs' : 'run'}`];
  }
  const staying = holders.length > 0 ? holders : standing(telling);
  if (staying.length === 0) return [`nothing changes that by itself: ${who} ${waits} ${until}`];
  const kept = workload.onEveryNode
    ? `${controllerOf(telling)} keeps`
    : `with replicas ${workload.replicas} ${controllerOf(telling)} keeps`;
  return [`${kept} ${names.pods(staying)}: ${who} ${waits} ${until}`];
}

/** Of a rollout in which every old pod may go. */
function passes(waiting: readonly FollowedPod[], holders: readonly FollowedPod[], telling: Telling): readonly string[] {
  const { names, workload, way } = telling;
  const because = isRolling(workload) ? `, because ${maxUnavailable(workload)}` : '';
  const claims = [...new Set(way.claims)].join(' and ');
  return [
    `${controllerOf(telling)} ends ${names.pods(holders)} without waiting for ${names.pods(waiting)}${because}`,
    `then ${claims} can move, and ${names.pods(waiting)} ${waiting.length > 1 ? 'start' : 'starts'}: the wait ends by itself`,
  ];
}

/** Old pods that nobody has told to go. */
function oldPods({ followed, isOld }: Telling): readonly FollowedPod[] {
  return followed.end.standing
    .filter(({ pod, phase }) => isOld(pod.podClass) && phase !== TERMINATING)
    .map(({ pod }) => pod);
}

function standing({ followed, way }: Telling): readonly FollowedPod[] {
  const { classes } = way.question.world.cluster;
  return followed.end.standing
    .filter(({ pod, phase }) => classes[pod.podClass]?.isOwn && phase === READY)
    .map(({ pod }) => pod);
}
