import { attachedTo, STARTING, TERMINATING, WAITING } from '../forecast/state.ts';
import type { FollowedPod, Standing } from './followed.ts';
import type { Telling } from './telling.ts';

/** The exclusive volumes of a pod that are attached to another node than its own, and to which. */
export function volumesElsewhere(
  { pod, node, phase }: Standing,
  { way, followed }: Telling,
): readonly { readonly name: string; readonly volume: number; readonly at: number }[] {
  if (phase !== STARTING) return [];
  const { classes, volumes } = way.question.world.cluster;
  return (classes[pod.podClass]?.claims ?? []).flatMap(({ claim, volume }) => {
    const at = attachedTo(followed.end.state, volume);
    return volumes[volume]?.isAttachedToOne && at >= 0 && at !== node ? [{ name: claim.name, volume, at }] : [];
  });
}

/** The pods that have what a waiting one lacks: its volumes, or its claim for one pod, or the classes at fault. */
export function holdersOf(waiting: Standing, telling: Telling): readonly FollowedPod[] {
  const { way, followed } = telling;
  const { classes } = way.question.world.cluster;
  const elsewhere = volumesElsewhere(waiting, telling);
  const atFault = new Set(way.waits.flatMap(({ heldBy }) => heldBy));
  const holding = followed.end.standing
    .filter(({ pod, node, phase }) => {
      if (pod === waiting.pod || phase === WAITING || phase === TERMINATING) return false;
      const claims = classes[pod.podClass]?.claims ?? [];
      if (elsewhere.length > 0)
        return elsewhere.some(({ volume, at }) => at === node && claims.some((held) => held.volume === volume));
      return atFault.has(pod.podClass);
    })
    .map(({ pod }) => pod);
  // Where they are told of at all, those that the story is about are enough.
  const meant = holding.filter(({ podClass }) => classes[podClass]?.isOwn !== way.isAboutOthers);
  return meant.length > 0 ? meant : holding;
}
