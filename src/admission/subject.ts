import { Budget } from '../budget.ts';
import { spendOnReading } from '../facts/reading-cost.ts';
import { countAt, isObject, type JsonObject, objectAt, stringAt, UnreadableObjectError } from '../objects/json.ts';
import { isScalable, isWorkloadKind, kindServedAs, type WorkloadKind } from '../objects/kinds.ts';
import { type Metadata, metadataFrom, type OwnerReference } from '../objects/metadata.ts';
import { claimFrom, type PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import { workloadFrom } from '../objects/read-workload.ts';
import { sameJson } from '../objects/same-json.ts';
import { holdsVolumes, makerOf, type Workload } from '../objects/workload.ts';
import type { GuardedSubject } from './guarded.ts';
import type { AdmissionRequest } from './review.ts';

/** What a request is about, read once. */
export type Subject =
  | {
      readonly type: 'workload';
      readonly workload: Workload;
      /** The workload before the request; `undefined` if it is new, or has lost the maker whose business it was. */
      readonly previous: Workload | undefined;
      readonly object: JsonObject;
      readonly previousObject: JsonObject | undefined;
      /** Whether nothing that is judged differs from before, the spec or annotations of ours; a repair may still be due. */
      readonly unchanged: boolean;
      /** The pods do not differ from before. */
      readonly sameTemplate: boolean;
      /** Whether nothing of the spec differs from before but its replicas. */
      readonly onlyReplicas: boolean;
    }
  | {
      readonly type: 'scale';
      readonly kind: WorkloadKind;
      readonly replicas: number;
      readonly previousReplicas: number;
      /** Pods that its controller counted last. */
      readonly observedReplicas: number;
      /** The resourceVersion of the object that is scaled, as it is stored now. */
      readonly resourceVersion: string;
    }
  | {
      readonly type: 'claim';
      readonly claim: PersistentVolumeClaim;
      /** The claim before the request; `undefined` if it is new, or has lost its controller. */
      readonly previous: PersistentVolumeClaim | undefined;
      readonly controllers: readonly OwnerReference[];
    }
  | GuardedSubject
  /** Nothing to judge; `because` goes into the audit annotation. */
  | { readonly type: 'none'; readonly because: string };

export const UNCHANGED = 'nothing that is judged has changed';

/**
 * Throws UnreadableObjectError where a field has another type than its API says, and OverBudgetError where there is too
 * much to read.
 */
export function subjectFrom(
  { operation, resource, subResource = '', ...request }: AdmissionRequest,
  budget: Budget,
): Subject {
  if (operation !== 'CREATE' && operation !== 'UPDATE') return none(`operation ${operation} is not judged`);
  if (!isObject(request.object)) return none('the request carries no object');
  const previous = isObject(request.oldObject) ? request.oldObject : undefined;
  const kind = kindServedAs(resource);
  if (kind === 'PersistentVolumeClaim' && subResource === '') return claimSubject(request.object, previous, budget);
  if (isWorkloadKind(kind)) {
    if (subResource === '') return workloadSubject(kind, request.object, previous, budget);
    if (subResource === 'scale' && isScalable(kind)) return scaleSubject(kind, request.object, previous);
  }
  return none(`resource ${[resource.resource, subResource].filter(Boolean).join('/')} is not judged`);
}

function none(because: string): Subject {
  return { type: 'none', because };
}

function workloadSubject(
  kind: WorkloadKind,
  object: JsonObject,
  previousObject: JsonObject | undefined,
  budget: Budget,
): Subject {
  const metadata = metadataFrom(object);
  if (metadata.deleting) return none('it is being deleted');
  spendOnReading(object, budget);
  const workload = workloadFrom(kind, object, metadata);
  if (!holdsVolumes(workload)) return none('its pods have no volume that outlives them');
  if (previousObject === undefined) return { ...NEW, workload, object };
  spendOnReading(previousObject, budget);
  const previous = readable(() => workloadFrom(kind, previousObject));
  if (previous === undefined) return { ...NEW, workload, object };
  const lost = lostController(workload.metadata, previous.metadata);
  if (lost && makerOf(previous) !== undefined) return { ...NEW, workload, object };
  const sameTemplate = isSame(templateOf(object), templateOf(previousObject));
  const onlyReplicas = sameTemplate && isSame(besideReplicas(object), besideReplicas(previousObject));
  const sameSpec = onlyReplicas && isSame(replicasOf(object), replicasOf(previousObject));
  const unchanged = sameSpec && !lost && sameJson(workload.metadata.annotations, previous.metadata.annotations);
  return { type: 'workload', workload, previous, object, previousObject, unchanged, sameTemplate, onlyReplicas };
}

/** The spec without its replicas and its template, which is compared by itself. */
function besideReplicas(object: JsonObject): JsonObject {
  return { ...objectAt(object, 'spec'), replicas: undefined, template: undefined };
}

function replicasOf(object: JsonObject): unknown {
  return objectAt(object, 'spec')?.replicas;
}

function templateOf(object: JsonObject): unknown {
  return objectAt(objectAt(object, 'spec'), 'template');
}

const NEW = {
  type: 'workload',
  previous: undefined,
  previousObject: undefined,
  unchanged: false,
  sameTemplate: false,
  onlyReplicas: false,
} as const;

/** What could not be read when it came was not judged then: whatever replaces it is new. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableObjectError) return undefined;
    throw error;
  }
}

/** Whether the object had a controller and has none any more, or another one. */
function lostController(now: Metadata, before: Metadata): boolean {
  return before.controller !== undefined && now.controller?.uid !== before.controller.uid;
}

function scaleSubject(kind: WorkloadKind, object: JsonObject, previous: JsonObject | undefined): Subject {
  const replicas = countAt(objectAt(object, 'spec'), 'replicas') ?? 0; // absent is how zero is written
  const previousReplicas = countAt(objectAt(previous, 'spec'), 'replicas') ?? 0;
  if (replicas <= previousReplicas) return none('it does not scale up');
  const observedReplicas = countAt(objectAt(previous, 'status'), 'replicas') ?? 0;
  const resourceVersion = stringAt(objectAt(previous, 'metadata'), 'resourceVersion') ?? '';
  return { type: 'scale', kind, replicas, previousReplicas, observedReplicas, resourceVersion };
}

function claimSubject(object: JsonObject, previousObject: JsonObject | undefined, budget: Budget): Subject {
  spendOnReading(object, budget);
  const claim = claimFrom(object);
  if (claim.metadata.deleting) return none('it is being deleted');
  const { controller } = claim.metadata;
  const controllers = controller === undefined ? [] : [controller];
  if (previousObject === undefined) return { type: 'claim', claim, previous: undefined, controllers };
  spendOnReading(previousObject, budget);
  const previous = readable(() => claimFrom(previousObject));
  if (previous === undefined) return { type: 'claim', claim, previous, controllers };
  const lost = lostController(claim.metadata, previous.metadata) ? previous.metadata.controller : undefined;
  if (lost !== undefined) return { type: 'claim', claim, previous: undefined, controllers: [...controllers, lost] };
  const sameSpec = isSame(objectAt(object, 'spec'), objectAt(previousObject, 'spec'));
  if (sameSpec && sameJson(claim.metadata.annotations, previous.metadata.annotations)) return none(UNCHANGED);
  return { type: 'claim', claim, previous, controllers };
}

/** How many values are compared; whoever writes more is taken to have changed something, and judged. */
const MOST_COMPARED = 20_000;

function isSame(a: unknown, b: unknown): boolean {
  const budget = new Budget(MOST_COMPARED);
  return budget.answer(() => sameJson(a, b, budget), false);
}
