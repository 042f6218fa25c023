import type { ClaimUse } from './claim-use.ts';
import type { Diagnosis } from './diagnosis.ts';

/** Whether everything that uses the claim has its pods again, and none of them waits. */
export function hasSettled({ workloads, pods }: ClaimUse, { case: id }: Diagnosis): boolean {
  if (id !== 'nothing-wrong' || !workloads.known || !pods.known) return false;
  const areCounted = workloads.value.every(
    ({ owner }) => owner.replicas === undefined || owner.workload?.observedReplicas === owner.replicas,
  );
  return areCounted && pods.value.every((pod) => pod.ended || (pod.nodeName !== undefined && !pod.isStarting));
}
