import { type JsonObject, objectAt, stringAt } from '../objects/json.ts';

/**
 * Whether `type: Recreate` arrived with a `rollingUpdate` block that defaulting left in the object. Server-side apply
 * and Helm 4 send this whenever someone changes the type, and the API server would refuse it.
 */
export function hasLeftOverRollingUpdate(object: JsonObject): boolean {
  const strategy = objectAt(objectAt(object, 'spec'), 'strategy');
  return stringAt(strategy, 'type') === 'Recreate' && objectAt(strategy, 'rollingUpdate') !== undefined;
}
