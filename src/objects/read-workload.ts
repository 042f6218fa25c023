import {
  booleanAt,
  countAt,
  type JsonObject,
  labelsAt,
  objectAt,
  objectsAt,
  stringAt,
  UnreadableObjectError,
} from './json.ts';
import { isScalable, type WorkloadKind } from './kinds.ts';
import { type Metadata, metadataFrom } from './metadata.ts';
import { type PodTemplate, podTemplateFrom } from './pod-template.ts';
import { labelSelectorAt } from './selector.ts';
import {
  CONCURRENCY_POLICIES,
  type ConcurrencyPolicy,
  type IntOrPercent,
  type OwnClaims,
  type Strategy,
  type Workload,
} from './workload.ts';

/**
 * Reads an object of a workload kind; throws UnreadableObjectError where a field has another type than its API says. Whoever
 * has read its metadata before hands it over.
 */
export function workloadFrom(kind: WorkloadKind, object: JsonObject, metadata = metadataFrom(object)): Workload {
  const spec = objectAt(object, 'spec');
  const read = {
    kind,
    metadata,
    uid: stringAt(objectAt(object, 'metadata'), 'uid') ?? '',
    resourceVersion: stringAt(objectAt(object, 'metadata'), 'resourceVersion') ?? '',
    observedReplicas: isScalable(kind) ? (countAt(objectAt(object, 'status'), 'replicas') ?? 0) : 0,
    isRollingOut: isRollingOut(kind, objectAt(object, 'status')),
    onEveryNode: false,
    paused: false,
    concurrencyPolicy: undefined,
    indexed: false,
    parallel: false,
    ownClaims: NO_OWN_CLAIMS,
    selector: undefined,
    orphanLabels: undefined,
  };
  switch (kind) {
    case 'Deployment':
      return {
        ...read,
        ...counted(spec),
        selector: labelSelectorAt(spec, 'selector'),
        paused: booleanAt(spec, 'paused') ?? false,
        strategy: deploymentStrategy(objectAt(spec, 'strategy')),
      };
    case 'StatefulSet':
      return {
        ...read,
        ...counted(spec),
        parallel: stringAt(spec, 'podManagementPolicy') === 'Parallel',
        strategy: statefulSetStrategy(objectAt(spec, 'updateStrategy')),
        template: withoutOwnClaims(podTemplateFrom(objectAt(spec, 'template')), spec),
        ownClaims: {
          prefixes: claimTemplatesOf(spec).map((claim) => `${claim}-${read.metadata.name}`),
          firstOrdinal: countAt(objectAt(spec, 'ordinals'), 'start') ?? 0,
        },
      };
    case 'DaemonSet':
      return {
        ...read,
        ...counted(undefined),
        onEveryNode: true,
        strategy: daemonSetStrategy(objectAt(spec, 'updateStrategy')),
        template: podTemplateFrom(objectAt(spec, 'template')),
      };
    case 'ReplicaSet':
      return { ...read, ...counted(spec), orphanLabels: orphanLabelsOf(object, metadata), strategy: ON_DELETE };
    case 'Job':
      return {
        ...read,
        ...runOf(spec, countAt(objectAt(object, 'status'), 'succeeded')),
        ...(hasFinished(object) ? { replicas: 0 } : {}),
      };
    case 'CronJob': {
      const run = runOf(objectAt(objectAt(spec, 'jobTemplate'), 'spec'));
      return {
        ...read,
        ...run,
        paused: run.paused || (booleanAt(spec, 'suspend') ?? false),
        concurrencyPolicy: concurrencyPolicyOf(spec),
      };
    }
    default:
      return kind satisfies never;
  }
}

/**
 * As `kubectl rollout status` has it (`pkg/controller/deployment/util/deployment_util.go:DeploymentComplete`,
 * `pkg/controller/statefulset/stateful_set_control.go:completeRollingUpdate`).
 */
function isRollingOut(kind: WorkloadKind, status: JsonObject | undefined): boolean {
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return false;
  const [replicas, updated, ready] = ['replicas', 'updatedReplicas', 'readyReplicas'].map(
    (count) => countAt(status, count) ?? 0,
  );
  return Math.min(updated ?? 0, ready ?? 0) < (replicas ?? 0);
}

function orphanLabelsOf(object: JsonObject, { controller }: Metadata): Workload['orphanLabels'] {
  return controller === undefined ? labelsAt(objectAt(object, 'metadata'), 'labels') : undefined;
}

const ON_DELETE: Strategy = { type: 'OnDelete' };

const NO_OWN_CLAIMS: OwnClaims = { prefixes: [], firstOrdinal: 0 };

/** `pkg/apis/apps/v1/defaults.go:SetDefaults_Deployment`. */
const QUARTER: IntOrPercent = { type: 'percent', value: 25 };

/** `pkg/apis/apps/v1/defaults.go`: one replica where none is written. */
function counted(spec: JsonObject | undefined): Pick<Workload, 'replicas' | 'template'> {
  return { replicas: countAt(spec, 'replicas') ?? 1, template: podTemplateFrom(objectAt(spec, 'template')) };
}

/** One run: at most `parallelism` pods at once, and never more than are left (`pkg/controller/job/job_controller.go:manageJob`). */
function runOf(
  spec: JsonObject | undefined,
  succeeded = 0,
): Pick<Workload, 'replicas' | 'paused' | 'indexed' | 'strategy' | 'template'> {
  const parallelism = countAt(spec, 'parallelism') ?? 1;
  const left = (countAt(spec, 'completions') ?? Number.POSITIVE_INFINITY) - succeeded;
  return {
    replicas: Math.max(0, Math.min(parallelism, left)),
    paused: booleanAt(spec, 'suspend') ?? false,
    indexed: stringAt(spec, 'completionMode') === 'Indexed',
    strategy: ON_DELETE,
    template: podTemplateFrom(objectAt(spec, 'template')),
  };
}

/** `pkg/controller/job/utils.go:IsJobFinished`. */
function hasFinished(job: JsonObject): boolean {
  return objectsAt(objectAt(job, 'status'), 'conditions').some((condition) => {
    const type = stringAt(condition, 'type');
    return (type === 'Complete' || type === 'Failed') && stringAt(condition, 'status') === 'True';
  });
}

function concurrencyPolicyOf(spec: JsonObject | undefined): ConcurrencyPolicy {
  const text = stringAt(spec, 'concurrencyPolicy') || 'Allow';
  const policy = CONCURRENCY_POLICIES.find((known) => known === text);
  if (policy === undefined) throw new UnreadableObjectError('concurrencyPolicy', 'Allow, Forbid or Replace', text);
  return policy;
}

/** A volume of a claim template is each pod's own, also where the pod template names a claim for it (`pkg/controller/statefulset/stateful_set_utils.go:updateStorage`). */
function withoutOwnClaims(template: PodTemplate, spec: JsonObject | undefined): PodTemplate {
  const own = claimTemplatesOf(spec);
  const isShared = ({ volume }: { readonly volume: string }): boolean => !own.includes(volume);
  const { volumes, restrictedDisks } = template;
  return { ...template, volumes: volumes.filter(isShared), restrictedDisks: restrictedDisks.filter(isShared) };
}

function claimTemplatesOf(spec: JsonObject | undefined): readonly string[] {
  return objectsAt(spec, 'volumeClaimTemplates').map((claim) => stringAt(objectAt(claim, 'metadata'), 'name') ?? '');
}

function deploymentStrategy(strategy: JsonObject | undefined): Strategy {
  const type = stringAt(strategy, 'type') || 'RollingUpdate';
  if (type === 'Recreate') return { type };
  if (type !== 'RollingUpdate') throw new UnreadableObjectError('type', 'RollingUpdate or Recreate', type);
  const rollingUpdate = objectAt(strategy, 'rollingUpdate');
  return {
    type,
    maxSurge: intOrPercentAt(rollingUpdate, 'maxSurge') ?? QUARTER,
    maxUnavailable: intOrPercentAt(rollingUpdate, 'maxUnavailable') ?? QUARTER,
  };
}

function statefulSetStrategy(strategy: JsonObject | undefined): Strategy {
  if (isOnDelete(strategy)) return ON_DELETE;
  return { type: 'StatefulSetRolling', partition: countAt(objectAt(strategy, 'rollingUpdate'), 'partition') ?? 0 };
}

function daemonSetStrategy(strategy: JsonObject | undefined): Strategy {
  if (isOnDelete(strategy)) return ON_DELETE;
  const maxSurge = intOrPercentAt(objectAt(strategy, 'rollingUpdate'), 'maxSurge');
  return { type: 'DaemonSetRolling', surges: maxSurge !== undefined && maxSurge.value > 0 };
}

function isOnDelete(strategy: JsonObject | undefined): boolean {
  const type = stringAt(strategy, 'type') || 'RollingUpdate';
  if (type === 'OnDelete' || type === 'RollingUpdate') return type === 'OnDelete';
  throw new UnreadableObjectError('type', 'RollingUpdate or OnDelete', type);
}

/** A percentage that makes more pods of a single replica than the API allows. */
const MOST_PERCENT = 1e12;

function intOrPercentAt(object: JsonObject | undefined, key: string): IntOrPercent | undefined {
  const value = object?.[key];
  if (typeof value !== 'string') {
    const count = countAt(object, key);
    return count === undefined ? undefined : { type: 'int', value: count };
  }
  const digits = /^(\d+)%$/.exec(value)?.[1];
  if (digits === undefined) throw new UnreadableObjectError(key, 'a whole number or a percentage', value);
  // The API server takes any number of digits; so many surge as much as any more.
  return { type: 'percent', value: Math.min(Number(digits), MOST_PERCENT) };
}
