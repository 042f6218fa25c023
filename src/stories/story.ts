import type { Workload } from '../objects/workload.ts';
import { beginning } from './beginning.ts';
import { ending } from './ending.ts';
import { happenings } from './happenings.ts';
import type { Picture } from './picture.ts';
import { picturesOf, type Still, stillAfter, stillOf } from './pictured.ts';
import type { Way } from './shortest-way.ts';
import { type Occasion, Telling } from './telling.ts';

/** As many lines as a person reads. */
export const MOST_LINES = 8;

/** One line of a story, and where everything is once it is told. */
export interface StoryLine {
  readonly text: string;
  readonly picture: Picture;
}

/** A way in words: where it begins, who does what and why, who waits in the end, and whether for ever. */
export function storyOf(way: Way, occasion: Occasion, workload: Workload, most: number): readonly StoryLine[] {
  const telling = new Telling(way, occasion, workload);
  const lines = shortened(...linesOf(telling), most);
  const pictures = picturesOf(
    lines.map(({ still }) => still),
    telling,
  );
  return pictures.map((picture, index) => ({ text: sentence(lines[index]?.text ?? '', workload), picture }));
}

/** A line before it is drawn. */
interface Line {
  readonly text: string;
  readonly still: Still;
}

/** What comes before the end, and the end. */
function linesOf(telling: Telling): readonly [before: readonly Line[], end: readonly Line[]] {
  const { followed } = telling;
  let still = stillOf(followed.start, telling);
  const before = beginning(telling).map((text) => ({ text, still }));
  for (const { line, steps } of happenings(telling)) {
    still = stillAfter(still, steps);
    if (line !== '') before.push({ text: line, still });
  }
  const last = stillOf(followed.end, telling);
  return [before, ending(telling).map((text) => ({ text, still: last }))];
}

/** The middle goes first where there is too much to read, and never the beginning and the end. */
export function shortened(before: readonly Line[], end: readonly Line[], most: number): readonly Line[] {
  const room = most - end.length;
  if (before.length <= room) return [...before, ...end];
  const last = Math.ceil((room - 1) / 2);
  const first = room - 1 - last;
  const left = before.slice(first, before.length - last);
  const text = `${left.length} more steps in which nothing is in the way`;
  const cut = left.slice(-1).map(({ still }) => ({ text, still }));
  return [...before.slice(0, first), ...cut, ...before.slice(-last), ...end];
}

/** A line may begin with the name of a pod, which is written as it is. */
function sentence(text: string, { metadata: { name } }: Workload): string {
  const isName = text.startsWith(`${name}-`) || text.startsWith(`${name} `);
  return `${isName ? text : text.charAt(0).toUpperCase() + text.slice(1)}.`;
}
