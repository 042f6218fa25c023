import type { Workload } from '../objects/workload.ts';
import { beginning } from './beginning.ts';
import { ending } from './ending.ts';
import { happenings } from './happenings.ts';
import type { Way } from './shortest-way.ts';
import { type Occasion, Telling } from './telling.ts';

/** As many lines as a person reads. */
export const MOST_LINES = 8;

/** A way in words: where it begins, who does what and why, who waits in the end, and whether for ever. */
export function storyOf(way: Way, occasion: Occasion, workload: Workload, most: number): readonly string[] {
  const telling = new Telling(way, occasion, workload);
  const before = [...beginning(telling), ...happenings(telling)];
  return shortened(before, ending(telling), most).map((line) => sentence(line, workload));
}

/** The middle goes first where there is too much to read, and never the beginning and the end. */
export function shortened(before: readonly string[], end: readonly string[], most: number): readonly string[] {
  const room = most - end.length;
  if (before.length <= room) return [...before, ...end];
  const last = Math.ceil((room - 1) / 2);
  const first = room - 1 - last;
  const cut = `${before.length - first - last} more steps in which nothing is in the way`;
  return [...before.slice(0, first), cut, ...before.slice(-last), ...end];
}

/** A line may begin with the name of a pod, which is written as it is. */
function sentence(text: string, { metadata: { name } }: Workload): string {
  const isName = text.startsWith(`${name}-`) || text.startsWith(`${name} `);
  return `${isName ? text : text.charAt(0).toUpperCase() + text.slice(1)}.`;
}
