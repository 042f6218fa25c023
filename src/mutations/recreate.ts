import type { JsonObject } from '../objects/json.ts';
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
