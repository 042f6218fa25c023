import { READY, TERMINATING, WAITING } from '../forecast/state.ts';
import { type FollowedPod, podsAt, type Standing } from './followed.ts';
import { claimNames } from './names.ts';
import type { Telling } from './telling.ts';
import { whatFor } from './what-for.ts';
import { whetherForEver } from './whether-for-ever.ts';

/** Who waits in the end, for what, held by whom, and whether that ever ends. */
export function ending(telling: Telling): readonly string[] {
  const all = telling.followed.end.standing.filter((one) => waitsAsMeant(one, telling));
  // Of a rollout it is the new ones that matter.
  const made = all.filter(({ pod }) => !telling.isOld(pod));
  const waiting = made.length > 0 ? made : all;
  const [first] = waiting;
  if (first === undefined) return [];
  const alike = waiting.filter(({ node, pod }) => node === first.node && pod.podClass === first.pod.podClass);
  const pods = alike.map(({ pod }) => pod);
  const holders = holdersOf(first, telling);
  return [
    whatFor({ first, pods, holders }, telling),
    ...othersAsWell(telling),
    ...whetherForEver(pods, holders, telling),
  ];
}

/** Whether it is a pod of the workload that waits for what the story is about. */
function waitsAsMeant(one: Standing, telling: Telling): boolean {
  const { waits } = telling.way;
  if (!telling.isOwn(one.pod) || one.phase === READY || one.phase === TERMINATING) return false;
  const elsewhere = telling.volumesElsewhere(one);
  if (waits.length === 0) return elsewhere.length > 0;
  return waits.some(({ cause, claims }) => {
    if (cause === 'volume-elsewhere') return claimNames(elsewhere).some((name) => claims.includes(name));
    if (cause === 'one-pod') return claimNames(telling.claimsOf(one.pod)).some((name) => claims.includes(name));
    return one.phase === WAITING || elsewhere.length === 0;
  });
}

/** The pods that have what a waiting one lacks: its volumes, or its claim for one pod, or the classes at fault. */
function holdersOf(waiting: Standing, telling: Telling): readonly FollowedPod[] {
  const { way, followed } = telling;
  const elsewhere = telling.volumesElsewhere(waiting);
  const atFault = new Set(way.waits.flatMap(({ heldBy }) => heldBy));
  const holding = podsAt(followed.end, ({ pod, node, phase }) => {
    if (pod === waiting.pod || phase === WAITING || phase === TERMINATING) return false;
    if (elsewhere.length === 0) return atFault.has(pod.podClass);
    return elsewhere.some(
      ({ volume, at }) => at === node && telling.claimsOf(pod).some((held) => held.volume === volume),
    );
  });
  // Where they are told of at all, those that the story is about are enough.
  const meant = holding.filter((pod) => telling.isOwn(pod) !== way.meant.isAboutOthers);
  return meant.length > 0 ? meant : holding;
}

/** Pods of others that wait as well, where it is each other that they wait for. */
function othersAsWell(telling: Telling): readonly string[] {
  const { names, followed } = telling;
  const pods = podsAt(followed.end, ({ pod, phase }) => phase === WAITING && !telling.isOwn(pod));
  return pods.length === 0 ? [] : [`${names.podsDo(pods, 'stay')} Pending too, for a pod that is not there yet`];
}
