import { podCode, READY, STARTING, TERMINATING, WAITING } from '../forecast/model/state.ts';
import type { FollowedPod, Standing } from './followed.ts';
import { holdersOf, volumesElsewhere } from './held.ts';
import { isOrAre } from './node-steps.ts';
import { noNodeFor } from './pending.ts';
import { nameAt, type Telling } from './telling.ts';
import { whetherForEver } from './whether-for-ever.ts';

/** Who waits in the end, for what, held by whom, and whether that ever ends. */
export function ending(telling: Telling): readonly string[] {
  const all = telling.followed.end.standing.filter((one) => waitsAsMeant(one, telling));
  // Of a rollout it is the new ones that matter.
  const made = all.filter(({ pod }) => !telling.isOld(pod.podClass));
  const waiting = made.length > 0 ? made : all;
  const [first] = waiting;
  if (first === undefined) return [];
  const alike = waiting.filter(({ node, pod }) => node === first.node && pod.podClass === first.pod.podClass);
  const pods = alike.map(({ pod }) => pod);
  const holders = holdersOf(first, telling);
  return [whatFor(first, pods, holders, telling), ...othersAsWell(telling), ...whetherForEver(pods, holders, telling)];
}

/** Whether it is a pod of the workload that waits for what the story is about. */
function waitsAsMeant(one: Standing, telling: Telling): boolean {
  const { question, waits } = telling.way;
  const { isOwn, claims = [] } = question.world.cluster.classes[one.pod.podClass] ?? {};
  if (!isOwn || one.phase === READY || one.phase === TERMINATING) return false;
  if (waits.length === 0) return volumesElsewhere(one, telling).length > 0;
  return waits.some(({ cause, claims: names }) => {
    if (cause === 'volume-elsewhere') return volumesElsewhere(one, telling).some(({ name }) => names.includes(name));
    if (cause === 'one-pod') return claims.some(({ claim }) => names.includes(claim.name));
    return one.phase === WAITING || volumesElsewhere(one, telling).length === 0;
  });
}

function whatFor(
  one: Standing,
  pods: readonly FollowedPod[],
  holders: readonly FollowedPod[],
  telling: Telling,
): string {
  const { names } = telling;
  const [who, waits] = [names.pods(pods), pods.length > 1 ? 'wait' : 'waits'];
  const it = pods.length > 1 ? 'them' : 'it';
  if (one.phase === WAITING) {
    return `${who} ${pods.length > 1 ? 'stay' : 'stays'} Pending, because ${reasonToWait(one, it, holders, telling)}`;
  }
  const volumes = volumesElsewhere(one, telling);
  if (volumes.length > 0)
    return `${who} ${waits}, because ${attachedElsewhere(volumes, holders, telling)} (Multi-Attach)`;
  return `${who} ${waits} on ${names.node(one.node)}, because ${reasonToWait(one, it, holders, telling)}`;
}

function attachedElsewhere(
  volumes: readonly { readonly name: string; readonly at: number }[],
  holders: readonly FollowedPod[],
  { names }: Telling,
): string {
  const [is, it] = [isOrAre(volumes), volumes.length > 1 ? 'them' : 'it'];
  const [at = 0] = volumes.map((volume) => volume.at);
  const use = holders.length > 1 ? 'use' : 'uses';
  const where = holders.length === 0 ? '' : `, where ${names.pods(holders)} ${use} ${it}`;
  return `${names.claims(volumes.map(({ name }) => name))} ${is} attached to ${names.node(at)}${where}, and one node may have ${it} at a time`;
}

/** Pods of others that wait as well, where it is each other that they wait for. */
function othersAsWell({ way, followed, names }: Telling): readonly string[] {
  const { classes } = way.question.world.cluster;
  const pods = followed.end.standing
    .filter(({ pod, phase }) => phase === WAITING && !classes[pod.podClass]?.isOwn)
    .map(({ pod }) => pod);
  if (pods.length === 0) return [];
  return [`${names.pods(pods)} ${pods.length > 1 ? 'stay' : 'stays'} Pending too, for a pod that is not there yet`];
}

function reasonToWait(one: Standing, it: string, holders: readonly FollowedPod[], telling: Telling): string {
  const { way, followed, names, whyNot } = telling;
  const { state } = followed.end;
  const name = nameAt(followed.end, telling);
  const onePod = way.waits.find(({ cause }) => cause === 'one-pod');
  if (one.phase === STARTING && onePod !== undefined) {
    const by = holders.length === 0 ? '' : `, and ${names.pods(holders)} ${holders.length > 1 ? 'have' : 'has'} it`;
    return `${names.claims(onePod.claims)} ${isOrAre(onePod.claims)} mounted for one pod at a time${by}`;
  }
  if (one.phase === WAITING) {
    const none = noNodeFor(one.pod.podClass, state, way.question, it, { whyNot, names, name });
    return onePod !== undefined && holders.length === 0
      ? `${none}; where one does, ${names.claims(onePod.claims)} is for one pod at a time`
      : none;
  }
  const code = podCode(one.pod.podClass, one.phase, one.node);
  const others = state.filter((pod) => pod !== code);
  return whyNot.at(one.pod.podClass, one.node, others, name) ?? 'the kubelet refuses it there';
}
