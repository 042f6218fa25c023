import { type JsonObject, objectAt } from '../objects/json.ts';

/** What an API version became, and the defaults of its own that differ from those of its successor. */
interface Successor {
  readonly apiVersion: string;
  readonly defaulted?: (spec: JsonObject) => JsonObject;
}

/** `apiVersion kind` of what the API server no longer serves. */
const SUCCESSORS: ReadonlyMap<string, Successor> = new Map<string, Successor>([
  ['extensions/v1beta1 Deployment', { apiVersion: 'apps/v1', defaulted: oneByOne }],
  ['extensions/v1beta1 DaemonSet', { apiVersion: 'apps/v1', defaulted: onDelete }],
  ['extensions/v1beta1 ReplicaSet', { apiVersion: 'apps/v1' }],
  ['apps/v1beta1 Deployment', { apiVersion: 'apps/v1' }],
  ['apps/v1beta1 StatefulSet', { apiVersion: 'apps/v1', defaulted: onDelete }],
  ['apps/v1beta2 Deployment', { apiVersion: 'apps/v1' }],
  ['apps/v1beta2 StatefulSet', { apiVersion: 'apps/v1' }],
  ['apps/v1beta2 DaemonSet', { apiVersion: 'apps/v1' }],
  ['apps/v1beta2 ReplicaSet', { apiVersion: 'apps/v1' }],
  ['batch/v1beta1 CronJob', { apiVersion: 'batch/v1' }],
  ['batch/v2alpha1 CronJob', { apiVersion: 'batch/v1' }],
  ['storage.k8s.io/v1beta1 StorageClass', { apiVersion: 'storage.k8s.io/v1' }],
  ['storage.k8s.io/v1beta1 CSIDriver', { apiVersion: 'storage.k8s.io/v1' }],
  ['autoscaling/v2beta1 HorizontalPodAutoscaler', { apiVersion: 'autoscaling/v2' }],
  ['autoscaling/v2beta2 HorizontalPodAutoscaler', { apiVersion: 'autoscaling/v2' }],
]);

/**
 * The object as the API of today has it, with whatever the API version that it names fills in otherwise. Throws
 * UnreadableObjectError where a field has another type than its API says.
 */
export function asServedToday(object: JsonObject): JsonObject {
  const successor = SUCCESSORS.get(`${object.apiVersion} ${object.kind}`);
  if (successor === undefined) return object;
  const { apiVersion, defaulted = (spec) => spec } = successor;
  return { ...object, apiVersion, spec: defaulted(objectAt(object, 'spec') ?? {}) };
}

/** `pkg/apis/extensions/v1beta1/defaults.go:SetDefaults_Deployment`: one more and one less, not a quarter. */
function oneByOne(spec: JsonObject): JsonObject {
  const strategy = objectAt(spec, 'strategy') ?? {};
  if (strategy.type === 'Recreate') return spec;
  const rollingUpdate = withoutNulls(objectAt(strategy, 'rollingUpdate') ?? {});
  return { ...spec, strategy: { ...strategy, rollingUpdate: { maxSurge: 1, maxUnavailable: 1, ...rollingUpdate } } };
}

/** `SetDefaults_DaemonSet` of `extensions/v1beta1` and `SetDefaults_StatefulSet` of `apps/v1beta1`. */
function onDelete(spec: JsonObject): JsonObject {
  const strategy = withoutNulls(objectAt(spec, 'updateStrategy') ?? {});
  return { ...spec, updateStrategy: { type: 'OnDelete', ...strategy } };
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
