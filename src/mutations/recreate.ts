import { type JsonObject, objectAt, stringAt } from '../objects/json.ts';
import type { Workload } from '../objects/workload.ts';
import { type JsonPatchOperation, setAt } from './json-patch.ts';

/** The workload as it would be with its old pods going first. */
export function withRecreate(workload: Workload): Workload {
  return { ...workload, strategy: { type: 'Recreate' } };
}

/**
 * Replaces the whole strategy, because the API server refuses `Recreate` beside a `rollingUpdate` block
 * (`pkg/apis/apps/validation/validation.go:ValidateDeploymentStrategy`).
 */
export function recreatePatch(object: JsonObject): readonly JsonPatchOperation[] {
  return [setAt(object, ['spec', 'strategy'], { type: 'Recreate' })];
}

/**
 * Whether `type: Recreate` arrived with a `rollingUpdate` block that defaulting left in the object. Server-side apply
 * and Helm 4 send this whenever someone changes the type, and the API server would refuse it.
 */
export function hasLeftOverRollingUpdate(object: JsonObject): boolean {
  const strategy = objectAt(objectAt(object, 'spec'), 'strategy');
  return stringAt(strategy, 'type') === 'Recreate' && objectAt(strategy, 'rollingUpdate') !== undefined;
}
