import type { Budget } from '../budget.ts';
import { isObject } from './json.ts';

/**
 * Whether two JSON values say the same, however deep; the order of an object's members does not matter, nor does that of a
 * Map's entries. Each value that is compared is counted where there is a budget.
 */
export function sameJson(a: unknown, b: unknown, budget?: Budget): boolean {
  if (a === b) return true;
  const waiting: unknown[] = [];
  if (!areSame(a, b, waiting, budget)) return false;
  while (waiting.length > 0) if (!areSame(waiting.pop(), waiting.pop(), waiting, budget)) return false;
  return true;
}

/** Compares two values that are not identical. What is inside and not the same at once joins `waiting`, in pairs. */
function areSame(a: unknown, b: unknown, waiting: unknown[], budget: Budget | undefined): boolean {
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    budget?.spend(a.length);
    return a.every((item, index) => maybeSame(item, b[index], waiting));
  }
  if (a instanceof Map) {
    if (!(b instanceof Map) || a.size !== b.size) return false;
    budget?.spend(a.size);
    return [...a].every(([key, item]) => b.has(key) && maybeSame(item, b.get(key), waiting));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  budget?.spend(keys.length);
  return keys.every((key) => Object.hasOwn(b, key) && maybeSame(a[key], b[key], waiting));
}

/** Values that hold no others are compared here, for they are most of what there is. */
function maybeSame(a: unknown, b: unknown, waiting: unknown[]): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  waiting.push(a, b);
  return true;
}
