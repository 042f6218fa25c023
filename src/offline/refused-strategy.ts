/* What the API server refuses of a Deployment's strategy, although every field of it can be read. */
import { type JsonObject, objectAt, stringAt, UnreadableObjectError } from '../facts/json.ts';
import { workloadKindOf } from './file-snapshot.ts';

/**
 * Throws UnreadableObjectError where pods can neither come nor go (`pkg/apis/apps/validation:ValidateRollingUpdateDeployment`).
 * Of percentages that only come to 0 once they are rounded the controller makes one.
 */
export function refuseStandstill(object: JsonObject): void {
  const strategy = strategyOf(object);
  if (stringAt(strategy, 'type') === 'Recreate') return;
  const { maxSurge, maxUnavailable } = objectAt(strategy, 'rollingUpdate') ?? {};
  if (!isZero(maxSurge) || !isZero(maxUnavailable)) return;
  throw new UnreadableObjectError('maxUnavailable', `more than 0 where maxSurge is ${maxSurge}`, maxUnavailable);
}

function isZero(value: unknown): value is 0 | string {
  return value === 0 || (typeof value === 'string' && /^0+%$/.test(value));
}

/** `ValidateDeploymentStrategy` forbids the block; the webhook drops it in namespaces where it repairs. */
export function hasRollingUpdateBesideRecreate(object: JsonObject): boolean {
  const strategy = strategyOf(object);
  return stringAt(strategy, 'type') === 'Recreate' && objectAt(strategy, 'rollingUpdate') !== undefined;
}

function strategyOf(object: JsonObject): JsonObject | undefined {
  return workloadKindOf(object) === 'Deployment' ? objectAt(objectAt(object, 'spec'), 'strategy') : undefined;
}
