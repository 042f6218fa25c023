import { booleanAt, type JsonObject, objectAt, objectsAt, stringMapAt } from './json.ts';
import { metadataFrom } from './metadata.ts';
import { type Taint, taintFrom } from './toleration.ts';

/** The part of a Node that decides which pods may land on it, apart from free capacity. */
export interface Node {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
}

export function nodeFrom(object: JsonObject): Node {
  const spec = objectAt(object, 'spec');
  return {
    name: metadataFrom(object).name,
    labels: stringMapAt(objectAt(object, 'metadata'), 'labels'),
    taints: objectsAt(spec, 'taints').map(taintFrom),
    unschedulable: booleanAt(spec, 'unschedulable') ?? false,
  };
}

/**
 * Taints that say how a node fares just now (not ready, under pressure, cordoned). They pass, and they do not move a
 * running pod at once, so a forecast of what can happen some day leaves them out.
 */
export function isWeather(taint: Taint): boolean {
  return taint.key.startsWith('node.kubernetes.io/');
}
