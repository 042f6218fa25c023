import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { forecast } from '../forecast/forecast.ts';
import type { JsonObject } from '../objects/json.ts';
import type { Workload } from '../objects/workload.ts';
import type { JsonPatchOperation } from './json-patch.ts';
import { candidates, changesOf, type Mutation, repaired } from './repair.ts';

/** What may be changed in a manifest, and the workload as it would then be. */
export interface Fix {
  readonly mutation: Exclude<Mutation, 'drop-rolling-update'>;
  readonly patch: readonly JsonPatchOperation[];
  readonly workload: Workload;
}

/**
 * What may help a Deployment without an owner, best first, as a namespace that asks for `auto` would repair it. Other
 * kinds get nothing: the pods of a StatefulSet, held together, would write one volume where each most likely wanted its
 * own claim; a new template never reaches the running pods of a ReplicaSet; and that of a Job cannot be changed.
 */
export function fixesFor(facts: WorkloadFacts, object: JsonObject): readonly Fix[] {
  const { workload } = facts;
  if (workload.kind !== 'Deployment' || workload.metadata.controller !== undefined) return [];
  return candidates(facts, 'auto', undefined)
    .map((mutation) => ({
      mutation,
      patch: changesOf(mutation, object),
      workload: repaired(workload, mutation, object),
    }))
    .filter((fix) => allCanRun({ ...facts, workload: fix.workload }));
}

/** Held together and pushed apart at once, replicas wait for ever, whatever else is in order. */
function allCanRun(facts: WorkloadFacts): boolean {
  const { steady, autoscaled } = forecast(facts).certain;
  return !steady.stuck && autoscaled?.outcome.stuck !== true;
}
