import type { Action, PodRef } from './action.ts';
import { isScaled, pluralOf } from './action.ts';
import type { ClaimUse, UsingPod, UsingWorkload } from './claim-use.ts';
import { topOf, workloadOf } from './claim-use.ts';
import type { Case } from './diagnosis.ts';
import type { Next } from './next.ts';
import type { Owner } from './owner.ts';
import { REPLICAS_BEFORE, type RecoveryRecord, recordOf, stoppedOf } from './record.ts';
import { type Mandate, refusalsToStop } from './refusals.ts';
import { keyOfPod, savedKey, savedRef } from './saved-pod.ts';
import { listed, names } from './view.ts';

/** Everything that is stopped so that a claim is unused. */
export interface Users {
  readonly workloads: readonly UsingWorkload[];
  /** Pods of these, and plain ones, that have not ended. */
  readonly pods: readonly UsingPod[];
  /** Pods without an owner, which have to be made again; not those that somebody deletes already. */
  readonly plain: readonly UsingPod[];
}

/** Who uses the claim, without the one that keeps it. */
export function usersOf(use: ClaimUse, keep?: string): Users {
  const isKept = (kind = '', name = ''): boolean =>
    keep !== undefined && `${kind}/${name}`.toLowerCase() === singular(keep);
  const pods = (use.pods.known ? use.pods.value : []).filter((pod) => {
    const top = workloadOf(pod);
    return !pod.ended && !isKept(top?.kind ?? 'pod', top?.name ?? pod.name);
  });
  return {
    workloads: (use.workloads.known ? use.workloads.value : []).filter(
      ({ owner, owners }) => ![owner, ...owners].some(({ kind, name }) => isKept(kind, name)),
    ),
    pods,
    plain: pods.filter((pod) => topOf(pod) === undefined && !pod.isMirror && !pod.deleting),
  };
}

/** `deployments/web` and `Deployment/web` are one. */
function singular(keep: string): string {
  const [kind = '', name] = keep.toLowerCase().split('/');
  const found = ['Deployment', 'StatefulSet', 'ReplicaSet', 'Job', 'CronJob', 'Pod'].find(
    (one) => kind === pluralOf(one) || kind === one.toLowerCase(),
  );
  return `${(found ?? kind).toLowerCase()}/${name}`;
}

/** The record of a recovery that begins now. */
export function firstRecord(id: Case, { workloads }: Users, starts: boolean): RecoveryRecord {
  return {
    case: id,
    phase: 'stop',
    starts,
    stopped: workloads.filter(({ owner }) => runs(owner)).map(({ owner }) => stoppedOf(owner)),
    pods: [],
  };
}

/** What comes next of a recovery that stops everything and starts it again, by what is there now alone. */
export function nextOfStopAndStart(use: ClaimUse, id: Case, mandate: Mandate): Next {
  const claim = { namespace: use.namespace, name: use.name };
  const record = use.claim.known && use.claim.value ? recordOf(use.claim.value.metadata.annotations) : undefined;
  if (record === 'unreadable')
    return {
      type: 'refuse',
      because: ['the note of a recovery on the claim cannot be read: see to what is stopped, and take it off'],
    };
  if (record?.phase === 'start') return nextToStart(use, record);
  if (record !== undefined && mandate.rollBack)
    return { type: 'do', action: { type: 'record', claim, record: { ...record, phase: 'start' }, plainPods: [] } };
  const isKeeping = record === undefined ? mandate.keep !== undefined : !record.starts;
  const users = isKeeping && record !== undefined ? recordedUsers(use, record) : usersOf(use, mandate.keep);
  const refusals = refusalsToStop(
    use,
    users.workloads.filter(({ owner }) => runs(owner)),
    users.pods,
    mandate,
  );
  if (refusals.length > 0 && (record === undefined || isAnythingNew(users, record)))
    return { type: 'refuse', because: refusals };
  if (record === undefined)
    return { type: 'do', action: recording(claim, firstRecord(id, users, !isKeeping), users.plain) };
  return nextToStop(use, record, users);
}

/** When one owner keeps the claim, only those that were chosen at the beginning are stopped. */
function recordedUsers(use: ClaimUse, { stopped, pods }: RecoveryRecord): Users {
  const all = usersOf(use);
  const uids = new Set(stopped.map(({ uid }) => uid));
  const saved = new Set(pods.map(savedKey));
  const ours = all.pods.filter((pod) => saved.has(keyOfPod(pod)));
  return {
    workloads: all.workloads.filter(({ owner }) => uids.has(owner.uid)),
    pods: [...all.pods.filter(({ owners }) => owners.some(({ uid }) => uids.has(uid))), ...ours],
    plain: ours,
  };
}

function isAnythingNew({ workloads, plain }: Users, record: RecoveryRecord): boolean {
  return (
    workloads.some(({ owner }) => runs(owner) && !isRecorded(owner, record)) ||
    plain.some((pod) => !isSaved(pod, record))
  );
}

function nextToStop(use: ClaimUse, record: RecoveryRecord, users: Users): Next {
  const claim = { namespace: use.namespace, name: use.name };
  const running = users.workloads.filter(({ owner }) => runs(owner) && !owner.deleting);
  const changed = running.filter(({ owner }) => !isRecorded(owner, record));
  const unsaved = users.plain.filter((pod) => !isSaved(pod, record));
  if (changed.length + unsaved.length > 0) {
    const uids = new Set(changed.map(({ owner }) => owner.uid));
    const stopped = [
      ...record.stopped.filter(({ uid }) => !uids.has(uid)),
      ...changed.map(({ owner }) => stoppedOf(owner)),
    ];
    return { type: 'do', action: recording(claim, { ...record, stopped }, unsaved) };
  }
  for (const { owner } of running) {
    const target = record.stopped.find(({ uid }) => uid === owner.uid) ?? stoppedOf(owner);
    return { type: 'do', action: { type: 'stop', target, resourceVersion: owner.resourceVersion } };
  }
  const leftOver = users.pods.find((pod) => !pod.deleting && isLeftOver(pod));
  if (leftOver !== undefined) return { type: 'do', action: { type: 'delete-pod', pod: podRef(leftOver) } };
  if (users.pods.length > 0) return { type: 'wait', for: `${names(users.pods)} to end` };
  if (!record.starts) return { type: 'do', action: { type: 'close', claim } };
  const attached = use.attachments.known ? use.attachments.value : [];
  if (attached.length > 0)
    return { type: 'wait', for: `the volume to come off ${listed(attached.map(({ nodeName }) => nodeName))}` };
  if (!use.pods.known || !use.attachments.known)
    return { type: 'wait', for: 'pods and attachments to be readable again' };
  return { type: 'do', action: { type: 'record', claim, record: { ...record, phase: 'start' }, plainPods: [] } };
}

/** Of nobody, or of an owner that is not there: no controller takes it away. */
function isLeftOver(pod: UsingPod): boolean {
  const [nearest] = pod.owners;
  return nearest === undefined || (nearest.found.known && nearest.found.value === undefined);
}

function nextToStart(use: ClaimUse, record: RecoveryRecord): Next {
  const claim = { namespace: use.namespace, name: use.name };
  if (!use.workloads.known || !use.pods.known) return { type: 'wait', for: 'workloads and pods to be readable again' };
  const owners = new Map(use.workloads.value.map(({ owner }) => [owner.uid, owner]));
  const there = record.stopped.flatMap((target) => {
    const owner = owners.get(target.uid);
    return owner === undefined || owner.deleting ? [] : [{ target, owner }];
  });
  const idle = there.find(({ target, owner }) =>
    isScaled(target) ? owner.replicas === 0 && target.replicas > 0 : owner.suspended,
  );
  if (idle !== undefined) return { type: 'do', action: { type: 'start', target: idle.target } };
  const keys = new Set(use.pods.value.map(keyOfPod));
  const missing = record.pods.find((manifest) => !keys.has(savedKey(manifest)));
  if (missing !== undefined)
    return { type: 'do', action: { type: 'make-pod', manifest: missing, pod: savedRef(missing) } };
  const marked = there.find(({ owner }) => owner.annotations.has(REPLICAS_BEFORE));
  if (marked !== undefined) return { type: 'do', action: { type: 'forget', target: marked.target } };
  return { type: 'do', action: { type: 'close', claim } };
}

function runs({ kind, replicas, suspended, workload }: Owner): boolean {
  if (replicas !== undefined) return replicas > 0;
  if (kind === 'Job') return !suspended && (workload?.replicas ?? 0) > 0;
  return !suspended;
}

/** With the replicas that it has; what was scaled back meanwhile by somebody still has the annotation, and its number counts. */
function isRecorded(owner: Owner, { stopped }: RecoveryRecord): boolean {
  const target = stopped.find(({ uid }) => uid === owner.uid);
  if (target === undefined) return false;
  return !isScaled(target) || target.replicas === owner.replicas || owner.annotations.has(REPLICAS_BEFORE);
}

function recording(
  claim: { readonly namespace: string; readonly name: string },
  record: RecoveryRecord,
  plain: readonly UsingPod[],
): Action {
  return { type: 'record', claim, record, plainPods: plain.map(podRef) };
}

function podRef({ namespace, name, uid }: UsingPod): PodRef {
  return { namespace, name, uid };
}

function isSaved(pod: UsingPod, { pods }: RecoveryRecord): boolean {
  return pods.some((manifest) => savedKey(manifest) === keyOfPod(pod));
}
