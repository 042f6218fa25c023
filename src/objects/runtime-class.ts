import { type JsonObject, labelsAt, objectAt } from './json.ts';
import { metadataFrom } from './metadata.ts';
import { isIn, type Requirement } from './selector.ts';
import { type Toleration, tolerationsAt } from './toleration.ts';

/** Where pods that name it may run. */
export interface RuntimeClass {
  readonly name: string;
  readonly nodeSelector: readonly Requirement[];
  readonly tolerations: readonly Toleration[];
}

export function runtimeClassFrom(object: JsonObject): RuntimeClass {
  const scheduling = objectAt(object, 'scheduling');
  return {
    name: metadataFrom(object).name,
    nodeSelector: [...labelsAt(scheduling, 'nodeSelector')].map(([label, value]) => isIn(label, value)),
    tolerations: tolerationsAt(scheduling, 'tolerations'),
  };
}
