import { countAt, type JsonObject, objectAt, objectsAt, stringAt } from './json.ts';
import { metadataFrom } from './metadata.ts';

/** A CSINode: which drivers a node has, and how many volumes each of them attaches there at most. */
export interface CsiNode {
  readonly name: string;
  /** By driver; one that names no limit has none. */
  readonly limits: ReadonlyMap<string, number>;
}

export function csiNodeFrom(object: JsonObject): CsiNode {
  const limits = new Map<string, number>();
  for (const driver of objectsAt(objectAt(object, 'spec'), 'drivers')) {
    const count = countAt(objectAt(driver, 'allocatable'), 'count');
    if (count !== undefined) limits.set(stringAt(driver, 'name') ?? '', count);
  }
  return { name: metadataFrom(object).name, limits };
}
