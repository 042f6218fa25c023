import { type Fact, known, mapFact } from './fact.ts';
import { type JsonObject, labelsAt, objectAt } from './json.ts';
import { metadataFrom } from './metadata.ts';
import { isIn, type Requirement } from './selector.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import { type Toleration, tolerationsAt } from './toleration.ts';
import type { Workload } from './workload.ts';

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

/** The workload with what the API server adds to its pods (`plugin/pkg/admission/runtimeclass/admission.go:setScheduling`). */
export function withRuntimeClass(workload: Workload, snapshot: Pick<ClusterSnapshot, 'runtimeClass'>): Fact<Workload> {
  const { template } = workload;
  if (template.runtimeClassName === undefined) return known(workload);
  return mapFact(snapshot.runtimeClass(template.runtimeClassName), (found) => {
    if (found === undefined) return workload;
    const nodeSelector = [...template.nodeSelector, ...found.nodeSelector];
    const tolerations = [...template.tolerations, ...found.tolerations];
    return { ...workload, template: { ...template, nodeSelector, tolerations } };
  });
}
