import { escapedUnseen } from '../one-line.ts';

/** A document as JSON with a line end. What nobody can see is escaped, which a terminal does not obey and a parser undoes. */
export function printedJson(document: object): string {
  return `${escapedUnseen(JSON.stringify(document, null, 2))}\n`;
}
