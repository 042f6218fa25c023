import { isScalable } from '../objects/kinds.ts';
import { PREFIX } from '../objects/metadata.ts';
import type { Workload } from '../objects/workload.ts';

/** How many replicas an object ran before somebody stopped it for a while; going back to them is nothing new. */
export const REPLICAS_BEFORE = `${PREFIX}replicas-before`;

/** Replicas that it may go back to without being judged again; 0 where nothing is written, or anything but digits. */
export function replicasBefore({ kind, metadata }: Workload): number {
  const digits = /^\d{1,9}$/.exec(metadata.annotations.get(REPLICAS_BEFORE) ?? '')?.[0];
  return digits === undefined || !isScalable(kind) ? 0 : Number(digits);
}

/** Why the annotation does not count, if it does not. */
export function replicasBeforeProblem(workload: Workload): string | undefined {
  const text = workload.metadata.annotations.get(REPLICAS_BEFORE);
  if (text === undefined || !isScalable(workload.kind) || /^\d{1,9}$/.test(text)) return undefined;
  return `${REPLICAS_BEFORE} does not count: write a number of replicas, in digits`;
}

/**
 * The workload as it runs once somebody goes back to the replicas from before. Whoever writes the annotation may scale to that
 * many later without being judged, so it is as if they were asked for now.
 */
export function restored(workload: Workload): Workload {
  const before = replicasBefore(workload);
  return before === 0 ? workload : { ...workload, replicas: Math.max(workload.replicas, before), paused: false };
}

/**
 * No pod of it can be running, and none is asked for: what comes next is a start. While it is paused a Deployment gets no
 * ReplicaSet (`pkg/controller/deployment/sync.go:sync`); one that has pods, its controller counts.
 */
export function isIdle(workload: Workload): boolean {
  const { kind, replicas, paused, observedReplicas } = workload;
  if (!isScalable(kind) || replicasBefore(workload) > 0) return false;
  return observedReplicas === 0 && (replicas === 0 || paused);
}

/**
 * What is started: scaled up from nothing also while it is paused, for its last ReplicaSet is scaled then, whatever that was
 * (`pkg/controller/deployment/sync.go:scale`).
 */
export function started(workload: Workload, previous: Workload): Workload {
  const asked = restored(workload);
  return previous.replicas === 0 ? { ...asked, paused: false } : asked;
}

/**
 * The workload as it goes on with so many pods that may be running, though it is being stopped or paused just now: what is
 * armed meanwhile strikes when it goes on, and for what has pods that is nothing new.
 */
export function goingOn(workload: Workload, pods: number): Workload {
  const asked = restored(workload);
  if (!isScalable(workload.kind) || pods === 0) return asked;
  return { ...asked, replicas: asked.replicas || pods, paused: false };
}
