import type { RunningPod } from '../objects/running-pod.ts';
import type { Workload } from '../objects/workload.ts';
import { type ComeUp, comeUp, type Situation } from './come-up.ts';
import { ordinalOf } from './pods-around.ts';

/** Whether all pods of a workload that go come up again. Those of a StatefulSet differ by what they hold, and are asked one by one. */
export function replacement(workload: Workload, pods: readonly RunningPod[], situation: Situation): ComeUp {
  if (workload.kind !== 'StatefulSet') return comeUp({ workload, pods }, situation);
  const all = pods.map((pod) =>
    comeUp({ workload: withOrdinal(workload, ordinalOf(pod.name)), pods: [pod] }, situation),
  );
  return {
    ways: all.some(({ ways }) => ways === 'none') ? 'none' : all.every(({ ways }) => ways === 'all') ? 'all' : 'some',
    waits: all.flatMap(({ waits }) => waits),
    open: all.flatMap(({ open }) => open),
  };
}

function withOrdinal(workload: Workload, firstOrdinal: number): Workload {
  return { ...workload, ownClaims: { ...workload.ownClaims, firstOrdinal } };
}
