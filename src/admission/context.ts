import type { Budget } from '../budget.ts';
import type { Policy } from '../decision/decide.ts';
import type { Mode } from '../decision/mode.ts';
import type { Gathered } from '../facts/gather.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import { known } from '../objects/fact.ts';
import type { WorkloadKind } from '../objects/kinds.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { JudgedObject } from '../objects/read-object.ts';
import type { Workload } from '../objects/workload.ts';
import type { ExemptionTerms } from '../rules/exemption.ts';
import type { Judge } from '../rules/judge.ts';
import type { Rule } from '../rules/rule.ts';
import { overlaid } from '../snapshot/layered-snapshot.ts';
import type { ClusterSnapshot, LookedUp, ObjectRef } from '../snapshot/snapshot.ts';
import type { Exempt } from './identity.ts';
import type { LookUp, LookUps } from './look-ups.ts';
import type { NodeReading } from './node-reading.ts';
import type { AdmissionRequest } from './review.ts';

/** What requests left behind a moment ago, because the order of creation must not decide the verdict. */
export interface RecentRequests {
  remember(request: Sender & { readonly object: JudgedObject }): void;
  /** A claim that the same user dry-ran within the last minute. */
  dryRunClaim(user: string, namespace: string, name: string): PersistentVolumeClaim | undefined;
  /** Workloads that the same user dry-ran within the last minute. */
  dryRunWorkloadsMounting(user: string, namespace: string, claim: string): readonly Workload[];
  /** Workloads that reviews of the last ten seconds admitted: the watch may not have brought them, and some may never have been. */
  workloadsMounting(namespace: string, claim: string): readonly WorkloadRef[];
}

export interface WorkloadRef extends ObjectRef {
  readonly kind: WorkloadKind;
}

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

/** What guards go by. Most of what they judge has no namespace whose label could choose the mode. */
export interface Guards {
  readonly mode: Mode;
  readonly nodes: NodeReading;
}

export interface AdmissionDeps {
  readonly snapshot: ClusterSnapshot;
  /**
   * Seconds for which nothing has been heard of the cluster, where that is too long to deny because of it; `undefined`
   * where the snapshot is current. Left out, it never ages.
   */
  readonly staleFor?: () => number | undefined;
  readonly matrix: StorageMatrix;
  readonly rules: readonly Rule[];
  readonly lookUp: LookUp;
  readonly recent: RecentRequests;
  readonly settings: AdmissionSettings;
  /** Left out, nothing that somebody does by hand is judged. */
  readonly guards?: Guards;
  /** As `2026-12-31`, in UTC. Left out, no exemption ends. */
  readonly today?: () => string;
}

/** What decides whether the annotation of an object counts that exempts it. */
export function exemptionTerms({ settings, today }: Pick<AdmissionDeps, 'settings' | 'today'>): ExemptionTerms {
  return { policy: settings.policy.exemptions, today: today?.() };
}

/** One request on its way through. */
export interface Context {
  readonly deps: AdmissionDeps;
  readonly request: AdmissionRequest;
  readonly signal: AbortSignal;
  /** What all questions about it may cost together. */
  readonly budget: Budget;
  readonly lookUps: LookUps;
  readonly judge: Judge;
}

export function senderOf({ userInfo, dryRun }: AdmissionRequest): Sender {
  return { user: userInfo.username ?? '', dryRun: dryRun === true };
}

/**
 * Reads facts from the watched state; what that misses is taken from the same user's dry runs (in a dry run only), and
 * else asked of the API server, each object once. What an answer leads to, such as a claim's volume, is asked next.
 */
export function gatherLive<T>(context: Context, read: (snapshot: ClusterSnapshot) => Gathered<T>): T | Promise<T> {
  const { deps, lookUps } = context;
  const { found } = lookUps;
  const { facts, missed } = read(found.length === 0 ? deps.snapshot : overlaid(deps.snapshot, found));
  const asked = missed.filter((ref) => !lookUps.has(ref));
  return asked.length === 0 ? facts : gatherMissed(asked, context, read);
}

async function gatherMissed<T>(
  asked: readonly ObjectRef[],
  context: Context,
  read: (snapshot: ClusterSnapshot) => Gathered<T>,
): Promise<T> {
  const { deps, request, signal, lookUps } = context;
  for (const object of asked.flatMap((ref) => dryRunOf(ref, deps.recent, request))) lookUps.add(object);
  await lookUps.ask(
    asked.filter((ref) => !lookUps.has(ref)),
    signal,
  );
  if (asked.some((ref) => !lookUps.has(ref))) return read(overlaid(deps.snapshot, lookUps.found)).facts;
  return gatherLive(context, read);
}

function dryRunOf(ref: ObjectRef, recent: RecentRequests, request: AdmissionRequest): readonly LookedUp[] {
  const { user, dryRun } = senderOf(request);
  if (!dryRun || ref.kind !== 'PersistentVolumeClaim') return [];
  const claim = recent.dryRunClaim(user, ref.namespace, ref.name);
  return claim === undefined ? [] : [{ kind: ref.kind, namespace: ref.namespace, name: ref.name, found: known(claim) }];
}
