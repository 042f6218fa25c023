import { type Fact, known, mapFact } from '../objects/fact.ts';
import type { Workload } from '../objects/workload.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';

/** The workload with what the API server adds to its pods (`plugin/pkg/admission/runtimeclass/admission.go:setScheduling`). */
export function withRuntimeClass(workload: Workload, snapshot: Pick<ClusterSnapshot, 'get'>): Fact<Workload> {
  const { template } = workload;
  if (template.runtimeClassName === undefined) return known(workload);
  return mapFact(snapshot.get('RuntimeClass', '', template.runtimeClassName), (found) => {
    if (found === undefined) return workload;
    const nodeSelector = [...template.nodeSelector, ...found.nodeSelector];
    const tolerations = [...template.tolerations, ...found.tolerations];
    return { ...workload, template: { ...template, nodeSelector, tolerations } };
  });
}
