import { type JsonObject, objectAt, objectsAt, stringAt, stringMapAt } from './json.ts';
import { metadataFrom, type OwnerReference } from './metadata.ts';
import { diskOf } from './persistent-volume.ts';
import { podVolumesOf } from './pod-template.ts';

/** A pod as far as it tells which volumes it holds or waits for, and where. */
export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly controller: OwnerReference | undefined;
  /** Absent until it is scheduled. */
  readonly nodeName: string | undefined;
  /** Its claims by name, those of its generic ephemeral volumes included; and the disks that are written into it. */
  readonly claims: readonly string[];
  readonly disks: readonly string[];
  /** Whether all of its containers are yet to be started: on its node it waits for its volumes, its network or its image. */
  readonly isStarting: boolean;
  /** Deletion has begun: it keeps its volumes until it has gone. */
  readonly deleting: boolean;
  /** Since when it is starting: when it was scheduled, or created where it is not scheduled; as the API writes times. */
  readonly since: string | undefined;
  /** What the scheduler says, where it has found no node for it. */
  readonly unschedulable: string | undefined;
}

/** Nothing of a pod that has ended, which holds no volume any more. */
export function podFrom(object: JsonObject): Pod | undefined {
  return hasEnded(objectAt(object, 'status')) ? undefined : anyPodFrom(object);
}

/** Whether a pod of this status has run to its end. */
export function hasEnded(status: JsonObject | undefined): boolean {
  const phase = stringAt(status, 'phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

/** The same of every pod, also of one that has ended. */
export function anyPodFrom(object: JsonObject): Pod {
  const status = objectAt(object, 'status');
  const spec = objectAt(object, 'spec');
  const { namespace, name, controller, deleting } = metadataFrom(object);
  const shared = podVolumesOf(spec);
  const nodeName = stringAt(spec, 'nodeName') || undefined;
  const isStarting = !hasStarted(status);
  const claims = shared.flatMap((volume) => (volume.type === 'claim' ? [volume.claimName] : []));
  return {
    ...{ namespace, name, controller, nodeName, deleting, isStarting },
    claims: orNone([...claims, ...ephemeralClaims(spec, name)]),
    disks: orNone(shared.flatMap((volume) => (volume.type === 'disk' ? (diskOf(volume.source) ?? []) : []))),
    since: !isStarting ? undefined : (stringAt(scheduled(status, 'True'), 'lastTransitionTime') ?? createdAt(object)),
    unschedulable: nodeName === undefined ? stringAt(scheduled(status, 'False'), 'message') : undefined,
  };
}

/** One empty list for all: a cluster has many pods. */
function orNone(names: readonly string[]): readonly string[] {
  return names.length === 0 ? NONE : names;
}

const NONE: readonly string[] = [];

/** `k8s.io/component-helpers/storage/ephemeral/ephemeral.go:VolumeClaimName`. */
function ephemeralClaims(spec: JsonObject | undefined, pod: string): readonly string[] {
  return objectsAt(spec, 'volumes').flatMap((volume) =>
    objectAt(volume, 'ephemeral') === undefined ? [] : [`${pod}-${stringAt(volume, 'name') ?? ''}`],
  );
}

/** Whether any container runs or has run, which the kubelet begins only once the volumes are mounted (`pkg/kubelet/kubelet.go:SyncPod`). */
function hasStarted(status: JsonObject | undefined): boolean {
  return ['initContainerStatuses', 'containerStatuses'].some((list) =>
    objectsAt(status, list).some((container) => {
      const state = objectAt(container, 'state');
      const last = objectAt(container, 'lastState');
      return [objectAt(state, 'running'), objectAt(state, 'terminated'), objectAt(last, 'terminated')].some(
        (one) => one !== undefined,
      );
    }),
  );
}

function scheduled(status: JsonObject | undefined, is: 'True' | 'False'): JsonObject | undefined {
  return podConditionOf(status, 'PodScheduled', is);
}

/** The condition of this type, where the pod's status says this of it. */
export function podConditionOf(
  status: JsonObject | undefined,
  type: string,
  said: 'True' | 'False',
): JsonObject | undefined {
  return objectsAt(status, 'conditions').find(
    (condition) => stringAt(condition, 'type') === type && stringAt(condition, 'status') === said,
  );
}

/** Whether it is a static pod's image in the API, which nobody can evict or delete (`pkg/kubelet/types/pod_update.go:IsMirrorPod`). */
export function isMirrorPod(metadata: JsonObject | undefined): boolean {
  return stringMapAt(metadata, 'annotations', MIRROR).has(MIRROR);
}

const MIRROR = 'kubernetes.io/config.mirror';

function createdAt(object: JsonObject): string | undefined {
  return stringAt(objectAt(object, 'metadata'), 'creationTimestamp');
}
