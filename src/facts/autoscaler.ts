import { countAt, type JsonObject, objectAt, stringAt } from './json.ts';
import { metadataFrom } from './metadata.ts';

/** A HorizontalPodAutoscaler: the most replicas that it may ask of its target. */
export interface Autoscaler {
  readonly namespace: string;
  readonly name: string;
  readonly target: { readonly kind: string; readonly name: string };
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
    maxReplicas: countAt(spec, 'maxReplicas') ?? 0,
  };
}
