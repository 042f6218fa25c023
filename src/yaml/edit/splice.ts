/** A part of a text, by its offsets, and what shall stand there. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}
