import { isObject, type JsonObject, objectAt, objectsAt, stringAt } from '../../src/objects/json.ts';
import { type Action, startPatch, stopPatch } from '../../src/recovery/action.ts';
import { nextStep } from '../../src/recovery/next-step.ts';
import { printedRecord, RECOVERY, REPLICAS_BEFORE, type Stopped } from '../../src/recovery/record.ts';
import type { Mandate } from '../../src/recovery/refusals.ts';
import { savedPod } from '../../src/recovery/saved-pod.ts';
import { nameOf, useIn } from './scene.ts';

export const NO_MANDATE: Mandate = {
  nodeIsOff: [],
  gitOpsSuspended: false,
  despiteBudgets: false,
  rollBack: false,
  keep: undefined,
};

/** What `recover --apply` does in a cluster whose controllers are immediate: the last word is how it ends. */
export function recovered(start: readonly JsonObject[], mandate: Partial<Mandate> = {}, most = 50) {
  let objects = start;
  const actions: Action[] = [];
  for (;;) {
    const next = nextStep(useIn(objects), { ...NO_MANDATE, ...mandate });
    if (next.type !== 'do' || actions.length === most) return { objects, actions, end: next };
    actions.push(next.action);
    objects = written(objects, next.action);
    if (next.action.type === 'close') return { objects, actions, end: { type: 'closed' as const } };
  }
}

/** The cluster after a write, and after its controllers have seen it. */
export function written(objects: readonly JsonObject[], action: Action): readonly JsonObject[] {
  switch (action.type) {
    case 'record': {
      const pods = action.plainPods.flatMap(({ name }) =>
        objects.filter((one) => one.kind === 'Pod' && nameOf(one) === name).map(savedPod),
      );
      const text = printedRecord({ ...action.record, pods: [...action.record.pods, ...pods] });
      return changed(objects, 'PersistentVolumeClaim', action.claim.name, {
        metadata: { annotations: { [RECOVERY]: text } },
      });
    }
    case 'stop':
      return withoutAttachments(
        changed(objects, action.target.kind, action.target.name, stopPatch(action.target)).filter(
          (one) => !isPodOf(objects, one, action.target),
        ),
      );
    case 'start':
      return changed(objects, action.target.kind, action.target.name, startPatch(action.target));
    case 'forget':
      return changed(objects, action.target.kind, action.target.name, {
        metadata: { annotations: { [REPLICAS_BEFORE]: null } },
      });
    case 'close':
      return changed(objects, 'PersistentVolumeClaim', action.claim.name, {
        metadata: { annotations: { [RECOVERY]: null } },
      });
    case 'delete-pod':
      return withoutAttachments(objects.filter((one) => one.kind !== 'Pod' || nameOf(one) !== action.pod.name));
    case 'make-pod':
      return [...objects, action.manifest];
    case 'out-of-service':
      return changed(objects, 'Node', action.node, {
        spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
      });
    case 'delete-attachment':
      return objects.filter((one) => nameOf(one) !== action.name);
    default:
      return action satisfies never;
  }
}

function withoutAttachments(objects: readonly JsonObject[]): readonly JsonObject[] {
  return objects.some(({ kind }) => kind === 'Pod')
    ? objects
    : objects.filter(({ kind }) => kind !== 'VolumeAttachment');
}

function isPodOf(objects: readonly JsonObject[], one: JsonObject, { uid }: Stopped): boolean {
  if (one.kind !== 'Pod') return false;
  const above = (object: JsonObject | undefined): boolean =>
    objectsAt(objectAt(object, 'metadata'), 'ownerReferences').some(
      (owner) =>
        owner.uid === uid || above(objects.find((other) => stringAt(objectAt(other, 'metadata'), 'uid') === owner.uid)),
    );
  return above(one);
}

function changed(objects: readonly JsonObject[], kind: string, name: string, patch: object): readonly JsonObject[] {
  return objects.map((one) => (one.kind === kind && nameOf(one) === name ? (merged(one, patch) as JsonObject) : one));
}

/** RFC 7386. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
