/** Nested deeper than any API type, and far less deep than what JSON can be written of. */
const MOST_DEPTH = 64;

/**
 * How heavy a value is: at least the bytes that it takes as JSON, and not many times more. Beyond `most` only that it is
 * heavier is known, so that asking never costs more than that; what is nested too deep is heavier than anything.
 */
export function weightOf(value: unknown, most: number): number {
  return weightAt(0, value, most);
}

function weightAt(depth: number, value: unknown, most: number): number {
  let weight = WEIGHT_OF_ONE + (typeof value === 'string' ? bytesOf(value) : 0);
  if (typeof value !== 'object' || value === null) return weight;
  if (depth === MOST_DEPTH) return Number.POSITIVE_INFINITY;
  const add = (part: unknown): boolean => {
    if (weight <= most) weight += weightAt(depth + 1, part, most - weight);
    return weight <= most;
  };
  if (Array.isArray(value)) value.every(add);
  else
    for (const [name, part] of value instanceof Map ? value : Object.entries(value))
      if (!add(name) || !add(part)) break;
  return weight;
}

/** A number of 64 bits has 20 digits. What brackets, quotes and commas add is less. */
const WEIGHT_OF_ONE = 24;

/** `\u001f` is the most that JSON makes of one unit of UTF-16. */
function bytesOf(text: string): number {
  return /^[ !#-[\]-~]*$/.test(text) ? text.length : text.length * 6;
}
