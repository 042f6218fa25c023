import type { Budget } from '../budget.ts';
import type { Guarded } from '../facts/guard-facts.ts';
import { spendOnReading } from '../facts/reading-cost.ts';
import { isObject, type JsonObject } from '../objects/json.ts';
import { type Metadata, metadataFrom } from '../objects/metadata.ts';
import { isOutOfService, type NodeStatus, nodeStatusFrom } from '../objects/node-status.ts';
import { podFrom } from '../objects/pod.ts';
import { finalizerOf, volumeAttachmentFrom } from '../objects/volume-attachment.ts';
import type { AdmissionRequest } from './review.ts';

/** A subject that guards judge. */
export interface GuardedSubject {
  readonly type: 'guarded';
  readonly kind: string;
  readonly metadata: Metadata;
  /** As it will be; where it is deleted, as it was. */
  readonly object: JsonObject;
  readonly guarded: Guarded;
}

export interface Unguarded {
  readonly type: 'none';
  readonly because: string;
}

/** What each request is to guards that they are there for. One for a whole collection comes once for each object, without its name. */
const READERS: ReadonlyMap<string, (change: Change) => Guarded | string> = new Map([
  ['UPDATE /v1/nodes', updatedNode],
  ['DELETE /v1/nodes', ({ object, budget }) => ({ action: 'delete-node', node: nodeOf(object, budget) })],
  ['UPDATE storage.k8s.io/v1/volumeattachments', updatedAttachment],
  ['DELETE storage.k8s.io/v1/volumeattachments', deletedAttachment],
  ['DELETE /v1/pods', deletedPod],
  ['DELETE /v1/persistentvolumeclaims', () => ({ action: 'delete-claim' })],
]);

interface Change {
  readonly budget: Budget;
  readonly object: JsonObject;
  readonly previous: JsonObject;
  readonly request: AdmissionRequest;
}

/** Whether guards are there for requests like this one. */
export function isGuarded(request: AdmissionRequest): boolean {
  return READERS.has(keyOf(request));
}

function keyOf({ operation, resource: { group, version, resource }, subResource = '' }: AdmissionRequest): string {
  return `${operation} ${group}/${version}/${resource}${subResource && `/${subResource}`}`;
}

/** What guards have to judge in the request; `undefined` for one that they are not there for. Throws as `subjectFrom` does. */
export function guardedFrom(request: AdmissionRequest, budget: Budget): GuardedSubject | Unguarded | undefined {
  const read = READERS.get(keyOf(request));
  if (read === undefined) return undefined;
  const { operation, object: after, oldObject: previous, kind } = request;
  const object = operation === 'DELETE' ? previous : after;
  if (!isObject(object) || !isObject(previous)) return none('the request carries no object');
  const metadata = metadataFrom(object);
  if (operation === 'DELETE' && kind.kind !== 'Pod' && metadata.deleting) return none('it is being deleted');
  spendOnReading(object, budget);
  const guarded = read({ object, previous, request, budget });
  return typeof guarded === 'string' ? none(guarded) : { type: 'guarded', kind: kind.kind, metadata, object, guarded };
}

function none(because: string): Unguarded {
  return { type: 'none', because };
}

/** Its status is left out where objects are counted before they are read, and each of these is looked at. */
function nodeOf(object: JsonObject, budget: Budget): NodeStatus {
  const node = nodeStatusFrom(object);
  budget.spend(node.taints.length + node.volumesInUse.length + node.volumesAttached.length);
  return node;
}

function updatedNode({ object, previous: before, budget }: Change): Guarded | string {
  const [node, previous] = [nodeOf(object, budget), nodeOf(before, budget)];
  if (!isOutOfService(node) && !isOutOfService(previous)) return 'it is not out of service';
  return { action: 'update-node', node, previous };
}

function deletedAttachment({ object }: Change): Guarded {
  return { action: 'release-attachment', by: 'deletion', attachment: volumeAttachmentFrom(object) };
}

/** An attacher takes its finalizer off when the volume is detached, and is a service account wherever it runs. */
function updatedAttachment({ object, previous, request }: Change): Guarded | string {
  const attachment = volumeAttachmentFrom(previous);
  const finalizer = finalizerOf(attachment.attacher);
  const keeps = volumeAttachmentFrom(object).finalizers.includes(finalizer);
  if (keeps || !attachment.finalizers.includes(finalizer)) return 'the finalizer of its attacher does not come off';
  if (request.userInfo.username?.startsWith('system:serviceaccount:'))
    return 'a service account takes its finalizer off';
  return { action: 'release-attachment', by: 'finalizer', attachment };
}

function deletedPod({ object, request: { options } }: Change): Guarded | string {
  const pod = podFrom(object);
  if (!isObject(options) || options.gracePeriodSeconds !== 0) return 'it is not deleted by force';
  if (pod?.nodeName === undefined) return 'it runs on no node';
  return { action: 'force-delete-pod', pod };
}
