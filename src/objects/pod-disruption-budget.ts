import { countAt, type JsonObject, objectAt } from './json.ts';
import { metadataFrom } from './metadata.ts';
import { type LabelSelector, labelSelectorAt } from './selector.ts';

/** A PodDisruptionBudget as its controller counted last. */
export interface DisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  /** Without one it is about no pod (`pkg/apis/policy/types.go:PodDisruptionBudgetSpec`). */
  readonly selector: LabelSelector | undefined;
  /** How many pods may be evicted now. */
  readonly disruptionsAllowed: number;
}

export function disruptionBudgetFrom(object: JsonObject): DisruptionBudget {
  const { namespace, name } = metadataFrom(object);
  return {
    ...{ namespace, name },
    selector: labelSelectorAt(objectAt(object, 'spec'), 'selector'),
    disruptionsAllowed: countAt(objectAt(object, 'status'), 'disruptionsAllowed') ?? 0,
  };
}
