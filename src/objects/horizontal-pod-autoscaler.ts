import { countAt, type JsonObject, objectAt, stringAt } from './json.ts';
import { metadataFrom } from './metadata.ts';

/** A HorizontalPodAutoscaler: between how many replicas it keeps its target. */
export interface Autoscaler {
  readonly namespace: string;
  readonly name: string;
  readonly target: { readonly kind: string; readonly name: string };
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

export function autoscalerFrom(object: JsonObject): Autoscaler {
  const { namespace, name } = metadataFrom(object);
  const spec = objectAt(object, 'spec');
  const target = objectAt(spec, 'scaleTargetRef');
  return {
    namespace,
    name,
    target: { kind: stringAt(target, 'kind') ?? '', name: stringAt(target, 'name') ?? '' },
    minReplicas: countAt(spec, 'minReplicas') ?? 1,
    maxReplicas: countAt(spec, 'maxReplicas') ?? 0,
  };
}
