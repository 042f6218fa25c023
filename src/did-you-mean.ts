/** As much of a word as may be written in another way; beyond that it is another word. */
const MOST_EDITS = 3;

/** Characters of a word that is looked at: what is longer is none of ours. */
const MOST_CHARACTERS = 60;

/** `, did you mean rule?`, or nothing where no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : `, did you mean ${near}?`;
}

/** The candidate that was most likely meant; `undefined` where none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MOST_CHARACTERS) return undefined;
  return candidates
    .map((candidate) => ({ candidate, edits: edits(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.min(MOST_EDITS, Math.floor(candidate.length / 2)))
    .sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

/** How many characters have to come, go or change to make one word of the other (Levenshtein). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
