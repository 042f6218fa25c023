import { podsFrom } from '../forecast/cluster.ts';
import { classOf } from '../forecast/state.ts';
import type { Workload } from '../objects/workload.ts';
import { beginning } from './beginning.ts';
import { ending } from './ending.ts';
import { followed } from './followed.ts';
import { happenings } from './happenings.ts';
import { Names } from './names.ts';
import type { Way } from './shortest-way.ts';
import { type Occasion, sentence, type Telling } from './telling.ts';
import { WhyNot } from './why-not.ts';

/** As many lines as a person reads. */
export const MOST_LINES = 8;

/** A way in words: where it begins, who does what and why, who waits in the end, and whether for ever. */
export function storyOf(
  way: Way,
  occasion: Occasion,
  workload: Workload,
  most: number = MOST_LINES,
): readonly string[] {
  const { world, old } = way.question;
  const { cluster, own } = world;
  const told = followed(way.states, cluster);
  const isOld = (podClass: number): boolean => old.includes(podClass);
  const hasOld = way.states.some((state) => state.slice(podsFrom(cluster)).some((pod) => isOld(classOf(pod))));
  const names = new Names({ workload, cluster, counts: told.counts, hasOld, isOld, ordinals: own });
  const telling: Telling = {
    ...{ way, followed: told, names, whyNot: new WhyNot(way.question), workload, occasion, isOld },
  };
  const [start, steps, end] = [beginning(telling), happenings(telling), ending(telling)];
  return shortened(start, steps, end, most).map((line) => sentence(line, telling));
}

/** The middle goes first where there is too much to read, and never the beginning and the end. */
export function shortened(
  start: readonly string[],
  steps: readonly string[],
  end: readonly string[],
  most: number,
): readonly string[] {
  const room = most - end.length;
  const before = [...start, ...steps];
  if (before.length <= room) return [...before, ...end];
  const last = Math.ceil((room - 1) / 2);
  const first = room - 1 - last;
  const cut = before.length - first - last;
  return [
    ...before.slice(0, first),
    `${cut} more steps in which nothing is in the way`,
    ...before.slice(-last),
    ...end,
  ];
}
