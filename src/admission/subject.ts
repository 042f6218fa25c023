import { countAt, isObject, type JsonObject, objectAt, stringMapAt } from '../facts/json.ts';
import { isOwnedByWorkload, PREFIX } from '../facts/metadata.ts';
import { claimFrom, type PersistentVolumeClaim } from '../facts/persistent-volume-claim.ts';
import { sameJson } from '../facts/same-json.ts';
import { mountsVolumes, type Workload, type WorkloadKind } from '../facts/workload.ts';
import { workloadFrom } from '../facts/workload-from.ts';
import type { AdmissionRequest } from './review.ts';

/** What a request is about, read once. */
export type Subject =
  | {
      readonly type: 'workload';
      readonly workload: Workload;
      readonly previous: Workload | undefined;
      readonly object: JsonObject;
      readonly previousObject: JsonObject | undefined;
      /** Nothing that is judged differs from before; a repair may still be due. */
      readonly unchanged: boolean;
    }
  | {
      readonly type: 'scale';
      readonly kind: WorkloadKind;
      readonly replicas: number;
      readonly previousReplicas: number;
    }
  | {
      readonly type: 'claim';
      readonly claim: PersistentVolumeClaim;
      readonly previous: PersistentVolumeClaim | undefined;
    }
  /** Nothing to judge; `because` goes into the audit annotation. */
  | { readonly type: 'none'; readonly because: string };

const KIND_OF_RESOURCE: ReadonlyMap<string, WorkloadKind> = new Map([
  ['apps/v1/deployments', 'Deployment'],
  ['apps/v1/statefulsets', 'StatefulSet'],
  ['apps/v1/daemonsets', 'DaemonSet'],
  ['apps/v1/replicasets', 'ReplicaSet'],
  ['batch/v1/jobs', 'Job'],
  ['batch/v1/cronjobs', 'CronJob'],
]);
/** The kinds for which the API serves `scale` (`pkg/registry/apps/rest/storage_apps.go`). */
const SCALABLE: ReadonlySet<WorkloadKind> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet']);
const CLAIMS = '/v1/persistentvolumeclaims';

export const UNCHANGED = 'nothing that is judged has changed';

/** Throws UnreadableObjectError where a field has another type than its API says. */
export function subjectFrom({ operation, resource, subResource = '', ...request }: AdmissionRequest): Subject {
  if (operation !== 'CREATE' && operation !== 'UPDATE') return none(`operation ${operation} is not judged`);
  if (!isObject(request.object)) return none('the request carries no object');
  const previous = isObject(request.oldObject) ? request.oldObject : undefined;
  const name = `${resource.group}/${resource.version}/${resource.resource}`;
  if (name === CLAIMS && subResource === '') return claimSubject(request.object, previous);
  const kind = KIND_OF_RESOURCE.get(name);
  if (kind !== undefined && subResource === '') return workloadSubject(kind, request.object, previous);
  if (kind !== undefined && subResource === 'scale' && SCALABLE.has(kind)) {
    return scaleSubject(kind, request.object, previous);
  }
  return none(`resource ${[resource.resource, subResource].filter(Boolean).join('/')} is not judged`);
}

function none(because: string): Subject {
  return { type: 'none', because };
}

function workloadSubject(kind: WorkloadKind, object: JsonObject, previousObject: JsonObject | undefined): Subject {
  const workload = workloadFrom(kind, object);
  if (workload.metadata.deleting) return none('it is being deleted');
  if (isOwnedByWorkload(workload.metadata)) return none('its owner was judged');
  if (!mountsVolumes(workload)) return none('its pods share no volume');
  const unchanged = previousObject !== undefined && looksTheSame(object, previousObject);
  const previous = previousObject === undefined ? undefined : workloadFrom(kind, previousObject);
  return { type: 'workload', workload, previous, object, previousObject, unchanged };
}

function scaleSubject(kind: WorkloadKind, object: JsonObject, previous: JsonObject | undefined): Subject {
  const replicas = countAt(objectAt(object, 'spec'), 'replicas') ?? 0; // absent is how zero is written
  const previousReplicas = countAt(objectAt(previous, 'spec'), 'replicas') ?? 0;
  if (replicas <= previousReplicas) return none('it does not scale up');
  return { type: 'scale', kind, replicas, previousReplicas };
}

function claimSubject(object: JsonObject, previousObject: JsonObject | undefined): Subject {
  const claim = claimFrom(object);
  if (claim.metadata.deleting) return none('it is being deleted');
  if (previousObject === undefined) return { type: 'claim', claim, previous: undefined };
  if (looksTheSame(object, previousObject)) return none(UNCHANGED);
  return { type: 'claim', claim, previous: claimFrom(previousObject) };
}

/** Only the spec is judged, and what our own annotations say of it. */
function looksTheSame(object: JsonObject, previous: JsonObject): boolean {
  if (!sameJson(objectAt(object, 'spec'), objectAt(previous, 'spec'))) return false;
  return sameJson(ownAnnotations(object), ownAnnotations(previous));
}

function ownAnnotations(object: JsonObject): readonly (readonly [string, string])[] {
  const annotations = stringMapAt(objectAt(object, 'metadata'), 'annotations');
  return [...annotations].filter(([key]) => key.startsWith(PREFIX)).sort();
}
