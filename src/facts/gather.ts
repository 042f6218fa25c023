import type { Budget } from '../budget.ts';
import { mapFact } from '../objects/fact.ts';
import type { Autoscaler } from '../objects/horizontal-pod-autoscaler.ts';
import { idOf } from '../objects/object-key.ts';
import type { Workload } from '../objects/workload.ts';
import type { ClusterSnapshot, ObjectRef } from '../snapshot/snapshot.ts';
import type { Reading } from './claim.ts';
import { nearbyOf } from './nearby-pods.ts';
import { NodeSearch } from './node-search.ts';
import { otherUsersOf } from './other-users.ts';
import { podFacts } from './pod-facts.ts';
import type { StorageMatrix } from './storage-backend.ts';
import type { WorkloadFacts } from './workload-facts.ts';

/** What was found, and by name what was asked for and missing, so that it can be asked for once more. */
export interface Gathered<T> {
  readonly facts: T;
  readonly missed: readonly ObjectRef[];
}

export function gatherFacts(
  workload: Workload,
  snapshot: ClusterSnapshot,
  matrix: StorageMatrix,
  budget: Budget,
): Gathered<WorkloadFacts> {
  const { namespace, name } = workload.metadata;
  return gathering(snapshot, matrix, budget, (reading) => {
    const nodes = mapFact(snapshot.nodes(), (index) => new NodeSearch(index, budget));
    const autoscalers = snapshot.autoscalersOf(workload.kind, namespace, name);
    const facts = podFacts(autoscalers.known ? atLeast(workload, autoscalers.value) : workload, nodes, reading);
    const otherUsers = otherUsersOf(facts, nodes, reading);
    return {
      ...facts,
      otherUsers,
      nearby: nearbyOf(facts, otherUsers, reading),
      autoscaledTo: mapFact(autoscalers, (all) => Math.max(0, ...all.map(({ maxReplicas }) => maxReplicas))),
    };
  });
}

/** An autoscaler asks for its fewest whatever it measures, unless there are none (`pkg/controller/podautoscaler/horizontal.go:reconcileAutoscaler`). */
function atLeast(workload: Workload, autoscalers: readonly Autoscaler[]): Workload {
  if (workload.replicas === 0) return workload;
  const replicas = Math.max(workload.replicas, ...autoscalers.map(({ minReplicas }) => minReplicas));
  return { ...workload, replicas };
}

/** Reads with a note of everything that was missed, each object once. */
export function gathering<T>(
  snapshot: ClusterSnapshot,
  matrix: StorageMatrix,
  budget: Budget,
  read: (reading: Reading) => T,
): Gathered<T> {
  const missed = new Map<string, ObjectRef>();
  const facts = read({
    snapshot,
    matrix,
    budget,
    pools: new Map(),
    missed: (ref) => void missed.set(idOf(ref), ref),
  });
  return { facts, missed: [...missed.values()] };
}
