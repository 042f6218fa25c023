import { READY, TERMINATING, WAITING } from '../forecast/state.ts';
import type { Standing } from './followed.ts';
import { holdersOf, volumesElsewhere } from './held.ts';
import type { Telling } from './telling.ts';
import { whatFor } from './what-for.ts';
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
  return [
    whatFor({ first, pods, holders }, telling),
    ...othersAsWell(telling),
    ...whetherForEver(pods, holders, telling),
  ];
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

/** Pods of others that wait as well, where it is each other that they wait for. */
function othersAsWell({ way, followed, names }: Telling): readonly string[] {
  const { classes } = way.question.world.cluster;
  const pods = followed.end.standing
    .filter(({ pod, phase }) => phase === WAITING && !classes[pod.podClass]?.isOwn)
    .map(({ pod }) => pod);
  if (pods.length === 0) return [];
  return [`${names.pods(pods)} ${pods.length > 1 ? 'stay' : 'stays'} Pending too, for a pod that is not there yet`];
}
