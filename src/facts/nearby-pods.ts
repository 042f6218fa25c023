import { isSameWorkload, runSamePods, runsPods, type Workload } from '../objects/workload.ts';
import { mayBeExclusive, type Reading } from './claim.ts';
import { namespaceLabelsOf } from './namespace-labels.ts';
import { workloadsNearby } from './nearby.ts';
import { firstByName, onlyPod } from './other-users.ts';
import { claimsOf, OPERATIONS_OF_A_LOOKUP, ownClaimsOf } from './pod-facts.ts';
import { withRuntimeClass } from './runtime-class.ts';
import type { OtherUsers, PodFacts } from './workload-facts.ts';

/** Pods of others that decide where those of this workload may be, its other users left out. */
export function nearbyOf(facts: PodFacts, users: OtherUsers, reading: Reading): OtherUsers {
  const budget = reading.budget.share(OPERATIONS_FOR_NEARBY);
  return budget.answer(() => nearbyWithin(facts, users, { ...reading, budget, missed: () => {} }), TOO_MANY);
}

/** No more than half of what other users may take: they matter more. */
const OPERATIONS_FOR_NEARBY = 5_000;

const TOO_MANY: OtherUsers = { pods: [], unknown: ['more workloads may keep its pods off nodes than are looked at'] };

function nearbyWithin(facts: PodFacts, users: OtherUsers, reading: Reading): OtherUsers {
  const { workload, nodes, budget } = facts;
  const { workloads, unknown } = workloadsNearby(
    workload,
    { holding: workloadsHolding(facts, reading), disks: facts.claims.flatMap(({ disk }) => disk ?? []) },
    reading.snapshot,
    (operations) => reading.budget.spend(operations),
  );
  const isUser = (other: Workload): boolean => users.pods.some((user) => isSameWorkload(user.workload, other));
  const pods = workloads
    .filter((other) => !isUser(other))
    .flatMap((other) => nearbyPods(other, nodes, reading))
    .map((pod) => ({ ...pod, budget }));
  return { pods, unknown };
}

/** Whoever mounts a claim that one of its pods has for itself, or decides where a volume is made that is not exclusive. */
function workloadsHolding({ workload, claims, ownClaims }: PodFacts, reading: Reading): readonly Workload[] {
  const toBeMade = claims.filter((claim) => claim.onceBound !== undefined && !mayBeExclusive(claim));
  return [...ownClaims.flat(), ...toBeMade].flatMap(({ name }) => {
    reading.budget.spend(OPERATIONS_OF_A_LOOKUP);
    const { workloads } = reading.snapshot.workloadsMounting(workload.metadata.namespace, name);
    const others = firstByName(workloads).filter((other) => runsPods(other) && !runSamePods(other, workload));
    reading.budget.spend(2 * workloads.length);
    return others;
  });
}

/** Pods that differ by their own volumes are looked at one by one, so many of them. */
const MOST_NEARBY_PODS = 3;

/** What a pod of it stands for, each of several where their own volumes hold them to places. */
function nearbyPods(written: Workload, nodes: PodFacts['nodes'], reading: Reading): readonly PodFacts[] {
  const scheduled = withRuntimeClass(written, reading.snapshot);
  const workload = scheduled.known ? scheduled.value : written;
  const namespaceLabels = namespaceLabelsOf(workload.metadata.namespace, reading);
  const pod = { workload, namespaceLabels, nodes, budget: reading.budget, claims: claimsOf(workload, reading) };
  const one = { ...pod, ownClaims: [], siblings: undefined };
  const own = ownClaimsOf(workload, reading).slice(0, MOST_NEARBY_PODS);
  if (own.length === 0) return [one];
  return own.map((claims, index) => ({
    ...one,
    workload: onlyPod(workload, workload.ownClaims.firstOrdinal + index),
    claims: [...one.claims, ...claims],
  }));
}
