import type { Policy } from '../decision/decide.ts';
import type { Mode } from '../decision/mode.ts';
import { known } from '../facts/fact.ts';
import type { Gathered } from '../facts/gather.ts';
import { idOf } from '../facts/object-key.ts';
import { overlaid } from '../facts/overlay.ts';
import type { PersistentVolumeClaim } from '../facts/persistent-volume-claim.ts';
import type { ClusterSnapshot, LookedUp, ObjectRef } from '../facts/snapshot.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import type { Workload, WorkloadKind } from '../facts/workload.ts';
import type { Rule } from '../rules/rule.ts';
import type { Exempt } from './identity.ts';
import type { AdmissionRequest } from './review.ts';

/** What requests left behind a moment ago, because the order of creation must not decide the verdict. */
export interface RecentRequests {
  remember(request: Sender & { readonly object: RecentObject }): void;
  /** A claim that the same user dry-ran within the last minute. */
  dryRunClaim(user: string, namespace: string, name: string): PersistentVolumeClaim | undefined;
  /** Workloads that the same user dry-ran within the last minute. */
  dryRunWorkloadsMounting(user: string, namespace: string, claim: string): readonly Workload[];
  /** Workloads really admitted within the last ten seconds, which the watch may not have brought yet. */
  workloadsMounting(namespace: string, claim: string): readonly Workload[];
}

export type RecentObject =
  | { readonly kind: 'PersistentVolumeClaim'; readonly value: PersistentVolumeClaim }
  | { readonly kind: WorkloadKind; readonly value: Workload };

export interface Sender {
  readonly user: string;
  readonly dryRun: boolean;
}

/** What the operator configured, as far as answers depend on it. */
export interface AdmissionSettings {
  readonly defaultMode: Mode;
  readonly policy: Policy;
  readonly exempt: Exempt;
}

export interface AdmissionDeps {
  readonly snapshot: ClusterSnapshot;
  readonly matrix: StorageMatrix;
  readonly rules: readonly Rule[];
  /** Asks the API server for objects by name; never rejects, an object that could not be read is an unknown fact. */
  readonly lookUp: (refs: readonly ObjectRef[], signal: AbortSignal) => Promise<readonly LookedUp[]>;
  readonly recent: RecentRequests;
  readonly settings: AdmissionSettings;
}

/** One request on its way through. */
export interface Context {
  readonly deps: AdmissionDeps;
  readonly request: AdmissionRequest;
  readonly signal: AbortSignal;
}

export function senderOf({ userInfo, dryRun }: AdmissionRequest): Sender {
  return { user: userInfo.username ?? '', dryRun: dryRun === true };
}

/**
 * Reads facts from the watched state; what that misses is taken from the same user's dry runs (in a dry run only), and
 * else asked of the API server, each object once. What an answer leads to, such as a claim's volume, is asked next.
 */
export async function gatherLive<T>(
  { deps, request, signal }: Context,
  read: (snapshot: ClusterSnapshot) => Gathered<T>,
): Promise<T> {
  const found = new Map<string, LookedUp>();
  for (;;) {
    const { facts, missed } = read(found.size === 0 ? deps.snapshot : overlaid(deps.snapshot, [...found.values()]));
    const asked = missed.filter((ref) => !found.has(idOf(ref)));
    if (asked.length === 0) return facts;
    const remembered = asked.flatMap((ref) => dryRunOf(ref, deps.recent, request));
    const ids = new Set(remembered.map(idOf));
    const looked = await deps.lookUp(
      asked.filter((ref) => !ids.has(idOf(ref))),
      signal,
    );
    for (const object of [...remembered, ...looked]) found.set(idOf(object), object);
    if (asked.some((ref) => !found.has(idOf(ref)))) return read(overlaid(deps.snapshot, [...found.values()])).facts;
  }
}

function dryRunOf(ref: ObjectRef, recent: RecentRequests, request: AdmissionRequest): readonly LookedUp[] {
  const { user, dryRun } = senderOf(request);
  if (!dryRun || ref.kind !== 'PersistentVolumeClaim') return [];
  const claim = recent.dryRunClaim(user, ref.namespace, ref.name);
  return claim === undefined ? [] : [{ kind: ref.kind, namespace: ref.namespace, name: ref.name, found: known(claim) }];
}
