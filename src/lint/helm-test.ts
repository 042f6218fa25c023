import { type JsonObject, objectAt, stringAt } from '../objects/json.ts';

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
