import { type JsonObject, objectAt, stringMapAt } from './json.ts';
import { metadataFrom } from './metadata.ts';

/** A namespace is its labels: they choose the mode, and affinity terms may select by them. */
export interface Namespace {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

export function namespaceFrom(object: JsonObject): Namespace {
  return { name: metadataFrom(object).name, labels: stringMapAt(objectAt(object, 'metadata'), 'labels') };
}
