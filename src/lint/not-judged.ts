import { type JsonObject, objectAt, objectsAt } from '../objects/json.ts';
import { WORKLOAD_KINDS } from '../objects/workload.ts';
import { workloadKindOf } from './file-snapshot.ts';

const OF_KUBERNETES: ReadonlySet<unknown> = new Set(WORKLOAD_KINDS);

/**
 * What to call an object that makes pods, or makes or scales what does, and that no rule is about; `undefined` for others. Takes
 * the object as the API of today has it, and throws UnreadableObjectError where its owners are none.
 */
export function notJudged(object: JsonObject): string | undefined {
  const { apiVersion, kind } = object;
  const group = String(apiVersion).split('/')[0];
  const isOf = (ownGroup: string): boolean => group === ownGroup || apiVersion === 'v1';
  if (kind === 'Rollout' && group === 'argoproj.io') return 'Rollout (argoproj.io)';
  if (kind === 'HelmRelease' && group === 'helm.toolkit.fluxcd.io') return 'HelmRelease (helm.toolkit.fluxcd.io)';
  if (kind === 'Template' && isOf('template.openshift.io')) return 'Template (template.openshift.io)';
  if (kind === 'DeploymentConfig' && isOf('apps.openshift.io')) return 'DeploymentConfig (apps.openshift.io)';
  if (kind === 'ScaledObject' && group === 'keda.sh') return 'ScaledObject (keda.sh)';
  if (kind === 'ReplicationController' && apiVersion === 'v1') return kind;
  if (kind === 'Pod' && apiVersion === 'v1') return isOwned(object) ? undefined : kind;
  if (!OF_KUBERNETES.has(kind) || workloadKindOf(object) !== undefined) return undefined;
  return `${kind} (${apiVersion})`;
}

function isOwned(object: JsonObject): boolean {
  return objectsAt(objectAt(object, 'metadata'), 'ownerReferences').length > 0;
}
