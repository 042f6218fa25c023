import { type JsonObject, objectAt, objectsAt } from '../facts/json.ts';
import { WORKLOAD_KINDS } from '../facts/workload.ts';
import { workloadKindOf } from './file-snapshot.ts';

const OF_KUBERNETES: ReadonlySet<unknown> = new Set(WORKLOAD_KINDS);

/**
 * What to call an object that makes pods or scales what does, and that no rule is about; `undefined` for all others. Takes
 * the object as the API of today has it, and throws UnreadableObjectError where its owners are none.
 */
export function notJudged(object: JsonObject): string | undefined {
  const { apiVersion, kind } = object;
  const group = String(apiVersion).split('/')[0];
  const isOpenShift = group === 'apps.openshift.io' || apiVersion === 'v1';
  if (kind === 'Rollout' && group === 'argoproj.io') return 'Rollout (argoproj.io)';
  if (kind === 'DeploymentConfig' && isOpenShift) return 'DeploymentConfig (apps.openshift.io)';
  if (kind === 'ScaledObject' && group === 'keda.sh') return 'ScaledObject (keda.sh)';
  if (kind === 'ReplicationController' && apiVersion === 'v1') return kind;
  if (kind === 'Pod' && apiVersion === 'v1') return isOwned(object) ? undefined : kind;
  if (!OF_KUBERNETES.has(kind) || workloadKindOf(object) !== undefined) return undefined;
  return `${kind} (${apiVersion})`;
}

function isOwned(object: JsonObject): boolean {
  return objectsAt(objectAt(object, 'metadata'), 'ownerReferences').length > 0;
}
