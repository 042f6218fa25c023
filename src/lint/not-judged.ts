import { type JsonObject, objectAt, objectsAt, stringAt } from '../objects/json.ts';
import { isWorkloadKind, kindOf } from '../objects/kinds.ts';

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
  if (!isWorkloadKind(kind) || kindOf(object) !== undefined) return undefined;
  return `${kind} (${apiVersion})`;
}

function isOwned(object: JsonObject): boolean {
  return objectsAt(objectAt(object, 'metadata'), 'ownerReferences').length > 0;
}

/** `test-success` is what Helm 2 called it (`helm.sh/helm/v3/pkg/releaseutil/manifest_sorter.go:events`). */
const TEST_HOOKS: ReadonlySet<string> = new Set(['test', 'test-success']);

/**
 * Whether no installation creates the object, but only `helm test`. Throws UnreadableObjectError where its annotations are
 * none.
 */
export function isHelmTest(object: JsonObject): boolean {
  const hooks = stringAt(objectAt(objectAt(object, 'metadata'), 'annotations'), 'helm.sh/hook');
  return hooks?.split(',').every((hook) => TEST_HOOKS.has(hook.trim())) ?? false;
}
