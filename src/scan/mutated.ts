import { MUTATED_ANNOTATION, mutateValueFrom } from '../mutations/repair.ts';
import { mapFact } from '../objects/fact.ts';
import type { Workload } from '../objects/workload.ts';
import type { ScannedMutation } from '../report/scan-report.ts';
import { foundIn } from '../rules/evaluate.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import { resourceOf } from './report.ts';

/** What the webhook changed, as its annotation tells, also where the namespace no longer asks for it. */
export function mutatedIn(
  workloads: readonly Workload[],
  snapshot: Pick<ClusterSnapshot, 'get'>,
): readonly ScannedMutation[] {
  return workloads.flatMap((workload) => {
    const mutation = workload.metadata.annotations.get(MUTATED_ANNOTATION);
    if (mutation === undefined) return [];
    const namespace = snapshot.get('Namespace', '', workload.metadata.namespace);
    const labels = mapFact(namespace, (found) => found?.labels ?? new Map<string, string>());
    const isAskedFor = labels.known ? mutateValueFrom(labels) !== undefined : undefined;
    return [{ resource: resourceOf(foundIn(workload)), mutation, isAskedFor }];
  });
}
