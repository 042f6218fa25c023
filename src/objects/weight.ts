/** Nested deeper than any API type, and far less deep than what JSON can be written of. */
const MOST_DEPTH = 64;

/**
 * How heavy a value is: at least the bytes that it takes as JSON, and not many times more. Beyond `most` only that it is
 * heavier is known, so that asking never costs more than that; what is nested too deep is heavier than anything.
 */
export function weightOf(value: unknown, most: number): number {
  let weight = 0;
  const add = (part: unknown, depth: number): void => {
    weight += WEIGHT_OF_ONE + (typeof part === 'string' ? bytesOf(part) : 0);
    if (typeof part !== 'object' || part === null) return;
    if (depth === MOST_DEPTH) weight = Number.POSITIVE_INFINITY;
    for (const inside of partsOf(part)) {
      if (weight > most) return;
      add(inside, depth + 1);
    }
  };
  add(value, 0);
  return weight;
}

/** A number of 64 bits has 20 digits. What brackets, quotes and commas add is less. */
const WEIGHT_OF_ONE = 24;

function partsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value;
  return (value instanceof Map ? [...value] : Object.entries(value)).flat();
}

/** `\u001f` is the most that JSON makes of one unit of UTF-16. */
function bytesOf(text: string): number {
  return /^[ !#-[\]-~]*$/.test(text) ? text.length : text.length * 6;
}
