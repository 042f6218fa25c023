import type { Budget } from '../budget.ts';
import { isObject, type JsonObject } from '../objects/json.ts';

/**
 * Counts what is to be read of an object, before it is: every value of its metadata and its spec. What of a
 * pod nobody reads is left out, as containers are nearly all of an ordinary object.
 */
export function spendOnReading({ metadata, spec }: JsonObject, budget: Budget): void {
  budget.spend(2);
  spendOnPartsOf(metadata, 1, budget);
  spendOnPartsOf(spec, 1, budget);
}

function spendOnPartsOf(value: unknown, depth: number, budget: Budget): void {
  if (depth === DEEPEST) return;
  if (Array.isArray(value)) {
    budget.spend(value.length);
    for (const item of value) if (typeof item === 'object') spendOnPartsOf(item, depth + 1, budget);
  } else if (isObject(value)) {
    let read = 0;
    for (const key in value) {
      const member = value[key];
      if (typeof member === 'object' && UNREAD.has(key)) continue;
      read++;
      if (typeof member === 'object') spendOnPartsOf(member, depth + 1, budget);
    }
    budget.spend(read);
  }
}

/** A value of a term of affinity in a CronJob is as deep as anything that is read. */
const DEEPEST = 20;

const UNREAD: ReadonlySet<string> = new Set([
  ...['managedFields', 'env', 'envFrom', 'command', 'args', 'volumeMounts', 'securityContext'],
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle', 'items', 'sources'],
]);
