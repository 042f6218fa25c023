import { podsFrom } from '../forecast/cluster.ts';
import { podCode, READY, TERMINATING, WAITING } from '../forecast/state.ts';
import { isRolling, maxUnavailable, oldStayBecause } from './because.ts';
import { type FollowedPod, podsAt } from './followed.ts';
import type { Telling } from './telling.ts';

/** What ends the wait, or that nothing does. */
export function whetherForEver(
  waiting: readonly FollowedPod[],
  holders: readonly FollowedPod[],
  telling: Telling,
): readonly string[] {
  const { way, followed, names, workload, controller } = telling;
  const { end } = followed;
  if (way.waits.length === 0) return passes(waiting, holders, telling);
  const wait = names.podsDo(waiting, 'wait');
  const forAsLongAs = (pods: readonly FollowedPod[]) => [`${wait} for as long as ${names.podsDo(pods, 'run')}`];
  if (holders.length > 0 && !holders.some((pod) => telling.isOwn(pod))) return forAsLongAs(holders);
  // Old pods that nobody has told to go.
  const old = podsAt(end, ({ pod, phase }) => telling.isOld(pod) && phase !== TERMINATING);
  if (telling.occasion === 'next run') {
    return [`${wait} until ${names.podsDo(holders.length > 0 ? holders : old, 'have')} finished`];
  }
  const isMutual = podsAt(end, ({ pod, phase }) => phase === WAITING && !telling.isOwn(pod)).length > 0;
  if (isMutual) return ['neither can be the first: both wait for ever'];
  const causes = new Set(way.waits.map(({ cause }) => cause));
  const until = causes.has('too-few-nodes') ? 'until a node joins' : 'for ever';
  const isByOld = holders.length === 0 ? old.length > 0 : holders.some((pod) => telling.isOld(pod));
  if (isByOld) {
    const stay = `${names.podsDo(old, 'stay')} until ${names.podsDo(waiting, 'are')} ready`;
    return [`${controller} ${oldStayBecause(workload)}: ${stay}`, `so the rollout waits ${until}`];
  }
  // No pod is at fault where a volume cannot be got at.
  const isLost = causes.has('out-of-reach') || causes.has('being-deleted');
  const ready = podsAt(end, ({ pod, phase }) => phase === READY && telling.isOwn(pod));
  const staying = isLost ? [] : holders.length > 0 ? holders : ready;
  const others = isLost || staying.length > 0 ? [] : othersInTheWay(waiting, telling);
  const endsByItself = workload.kind === 'Job' || workload.kind === 'CronJob';
  const mayGo = endsByItself ? [...staying, ...others] : others;
  if (mayGo.length > 0) return forAsLongAs(mayGo);
  if (staying.length === 0) return [`nothing changes that by itself: ${wait} ${until}`];
  const withReplicas = workload.onEveryNode ? '' : `with replicas ${workload.replicas} `;
  return [`${withReplicas}${controller} keeps ${names.pods(staying)}: ${wait} ${until}`];
}

/** Pods of others that each alone would keep it off their nodes. */
function othersInTheWay([waiting]: readonly FollowedPod[], telling: Telling): readonly FollowedPod[] {
  const { followed, cluster, way } = telling;
  const { end } = followed;
  const { scheduler } = way.question.world;
  const header = end.state.slice(0, podsFrom(cluster));
  return podsAt(end, ({ pod, phase, node }) => {
    if (waiting === undefined || telling.isOwn(pod) || phase !== READY || node < 0) return false;
    return !scheduler.isApart(waiting.podClass, node, [...header, podCode(pod.podClass, phase, node)]);
  });
}

/** Of a rollout in which every old pod may go. */
function passes(waiting: readonly FollowedPod[], holders: readonly FollowedPod[], telling: Telling): readonly string[] {
  const { names, workload, way, controller } = telling;
  const because = isRolling(workload) ? `, because ${maxUnavailable(workload)}` : '';
  const claims = (way.meant.passing ?? []).join(' and ');
  return [
    `${controller} ends ${names.pods(holders)} without waiting for ${names.pods(waiting)}${because}`,
    `then ${claims} can move, and ${names.podsDo(waiting, 'start')}: the wait ends by itself`,
  ];
}
