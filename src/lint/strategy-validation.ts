/* What the API server refuses of a rollout's strategy, although every field of it can be read. */
import { hasLeftOverRollingUpdate } from '../mutations/recreate.ts';
import { type JsonObject, objectAt, stringAt, UnreadableObjectError } from '../objects/json.ts';
import { kindOf } from '../objects/kinds.ts';

/** Throws UnreadableObjectError where `maxSurge` and `maxUnavailable` do not go together. */
export function refuseUnfitSurge(object: JsonObject): void {
  const kind = kindOf(object);
  if (kind === 'Deployment') refuseStandstill(objectAt(objectAt(object, 'spec'), 'strategy'));
  if (kind === 'DaemonSet') refuseAllButOne(objectAt(objectAt(object, 'spec'), 'updateStrategy'));
}

/**
 * Refuses what lets pods neither come nor go (`pkg/apis/apps/validation:ValidateRollingUpdateDeployment`). Percentages
 * that only rounding makes 0 are fine: the controller makes one of them.
 */
function refuseStandstill(strategy: JsonObject | undefined): void {
  if (stringAt(strategy, 'type') === 'Recreate') return;
  const { maxSurge, maxUnavailable } = objectAt(strategy, 'rollingUpdate') ?? {};
  if (!isZero(maxSurge) || !isZero(maxUnavailable)) return;
  throw new UnreadableObjectError('maxUnavailable', `more than 0 where maxSurge is ${maxSurge}`, maxUnavailable);
}

/** A DaemonSet wants exactly one of them (`pkg/apis/apps/validation:ValidateRollingUpdateDaemonSet`). */
function refuseAllButOne(strategy: JsonObject | undefined): void {
  if (stringAt(strategy, 'type') === 'OnDelete') return;
  const rollingUpdate = objectAt(strategy, 'rollingUpdate');
  const maxSurge = rollingUpdate?.maxSurge ?? 0;
  const maxUnavailable = rollingUpdate?.maxUnavailable ?? 1; // `pkg/apis/apps/v1/defaults.go:SetDefaults_DaemonSet`
  if (isZero(maxSurge) !== isZero(maxUnavailable)) return;
  const because = isZero(maxSurge) ? 'more than 0 where maxSurge is 0' : `0 where maxSurge is ${maxSurge}`;
  throw new UnreadableObjectError('maxUnavailable', because, maxUnavailable);
}

function isZero(value: unknown): value is 0 | string {
  return value === 0 || (typeof value === 'string' && /^0+%$/.test(value));
}

/** `ValidateDeploymentStrategy` forbids the block; the webhook drops it in namespaces where it repairs. */
export function hasRollingUpdateBesideRecreate(object: JsonObject): boolean {
  return kindOf(object) === 'Deployment' && hasLeftOverRollingUpdate(object);
}
