import { EmptyBodyError, InvalidJsonError } from './refused-body.ts';

/**
 * How many bytes a JSON text becomes at most when it is parsed, in V8 without pointer compression. Measured, per byte of
 * text: 29 for lists in lists, 22 for empty objects, 17 for objects that are all of another shape, 14 for empty lists, 9 for
 * one object of many keys, 5 for numbers.
 */
export function parsedWeightOf(text: Buffer): number {
  if (text.length <= SMALL) return text.length * MOST_PER_BYTE;
  let weight = text.length * TEXT;
  for (let index = 0; index < text.length; index++) weight += WEIGHTS[text[index] ?? 0] ?? 0;
  return weight;
}

/** Not worth a look at every byte: nearly all reviews are small, and are answered in the time that this would take. */
const SMALL = 256 * 1024;
const MOST_PER_BYTE = 32;

/** The text itself, as bytes and as a string. */
const TEXT = 2;

/** Bytes that a value weighs, by a character that it has once: list, object, key (maybe of a new shape), element. */
const WEIGHTS = new Uint8Array(256);
for (const [character, weight] of [
  ['[', 160], // one in the other, which no object of Kubernetes has, they cost the parser twice that on its way down
  ['{', 64],
  [':', 128],
  [',', 32],
] as const) {
  WEIGHTS[character.charCodeAt(0)] = weight;
}

/** Throws EmptyBodyError or InvalidJsonError. What is no UTF-8 is no JSON either. */
export function parsedFrom(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new EmptyBodyError();
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new InvalidJsonError(error);
  }
}
