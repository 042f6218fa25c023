import type { AccessModeFacts } from '../facts/access-mode-facts.ts';
import type { GuardFacts } from '../facts/guard-facts.ts';
import type { Outcomes } from '../forecast/outcome.ts';
import type { Cause, Reason, Wait } from '../forecast/reasons.ts';
import type { Unknown } from '../objects/fact.ts';
import type { Workload } from '../objects/workload.ts';
import type { ObjectRef } from '../snapshot/snapshot.ts';
import type { Fix } from './remedy.ts';

export type Severity = 'error' | 'warning' | 'info';

/** The severities, gravest first. */
export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

export interface RuleMeta {
  /** Names the rule, its file, its tests, its fixtures, its page and its row in the README. */
  readonly id: string;
  /** What kinds of objects it judges. */
  readonly subject: string;
  /** A finding may lower it and says why; nothing raises it. */
  readonly severity: Severity;
  /** What is wrong, for the README's table: at most ten words, without a full stop. */
  readonly brief: string;
  /** What is wrong, whole: one sentence without a full stop. */
  readonly says: string;
  /** What is wrong, as a clause that follows the object's name and names no object. */
  readonly reason: string;
  /** What to do about it, and how that works for people who apply in different ways. Ends with a full stop. */
  readonly remedy: string;
  readonly references: readonly string[];
}

export interface Problem {
  /** What is wrong with this object, in a few words that name its claims: enough for a warning of one line. */
  readonly detail: string;
  /** What is wrong, where the rule's own words do not fit. */
  readonly reason?: string;
  /** How it comes about, as a clause for whoever has room to read. */
  readonly why: string;
  /** The claims it is about, by name. */
  readonly claims: readonly string[];
  /** What helps this object first. */
  readonly fix: Fix;
  /** What helps as well, in another way. */
  readonly or?: string;
  /** The other workloads that it is about. */
  readonly users?: readonly ObjectRef[];
  /** What keeps pods waiting, where that is one thing. */
  readonly cause?: Cause;
  /** Why the finding is less grave than its rule. */
  readonly lowered?: { readonly severity: Severity; readonly because: string };
}

/** Judges what the controllers will do with a workload: in a rollout, or with all replicas running. */
export interface WorkloadRule {
  readonly judges: 'rollout' | 'steady';
  readonly meta: RuleMeta;
  check(workload: Workload, outcomes: Outcomes): readonly Problem[];
}

/** Judges a claim by itself. */
export interface ClaimRule {
  readonly judges: 'claim';
  readonly meta: RuleMeta;
  check(facts: AccessModeFacts): readonly Problem[];
}

/** Reports that other rules could not be answered. `because` has at least one entry. */
export interface OpenRule {
  readonly judges: 'open';
  readonly meta: RuleMeta;
  check(because: readonly string[]): readonly Problem[];
}

/** Judges what somebody is about to do by hand to a node, an attachment, a pod or a claim. What cannot be told is unknown. */
export interface GuardRule {
  readonly judges: 'guard';
  readonly meta: RuleMeta;
  check(facts: GuardFacts): readonly (Problem | Unknown)[];
}

export type Rule = WorkloadRule | ClaimRule | OpenRule | GuardRule;

/**
 * What a rollout waits for. Of other kinds than Deployments only what claims do to it, and not what `replicas-split` says
 * already, because it keeps pods waiting without any rollout as well.
 */
export function waitsOfRollout({ kind }: Pick<Workload, 'kind'>, { rollout, steady }: Outcomes): readonly Wait[] {
  if (!rollout.stuck) return [];
  if (kind === 'Deployment') return rollout.waits;
  const told = new Set(steady.stuck ? steady.waits.map(({ cause }) => cause) : []);
  return rollout.waits.filter(({ cause, claims }) => claims.length > 0 && !told.has(cause));
}

/** Of claims that pods cannot get at, why not. */
export function lostClaims({ cause, claims }: Reason, workload: Pick<Workload, 'template'>): string {
  const all = claimsInWords(claims, workload);
  if (cause === 'being-deleted') return `${all} ${claims.length === 1 ? 'is' : 'are'} being deleted`;
  return `${all} ${claims.length === 1 ? 'is' : 'are'} on other nodes`;
}

/** How that keeps pods waiting. */
export function whyLost(reason: Reason, workload: Pick<Workload, 'template'>): string {
  if (reason.cause !== 'being-deleted')
    return `its pods may run on no node where ${claimsInWords(reason.claims, workload)} can be used`;
  return `${lostClaims(reason, workload)}, and no pod that comes gets it`;
}

/** `claim data`, `claims data, logs`, or `claims a, b, c and 4 more`; a disk that the pods name without a claim is `volume disk`. */
export function claimsInWords(names: readonly string[], { template }: Pick<Workload, 'template'>): string {
  const disks = new Set(template.volumes.flatMap(({ type, volume }) => (type === 'disk' ? [volume] : [])));
  const parts = [
    ['claim', names.filter((name) => !disks.has(name))],
    ['volume', names.filter((name) => disks.has(name))],
  ] as const;
  return parts
    .filter(([, named]) => named.length > 0)
    .map(([kind, named]) => `${kind}${named.length === 1 ? '' : 's'} ${firstOf(named)}`)
    .join(', ');
}

/** `claim data, which attaches to one node at a time`. */
export function attachedToOne(names: readonly string[], workload: Pick<Workload, 'template'>): string {
  return `${claimsInWords(names, workload)}, which ${names.length === 1 ? 'attaches' : 'attach'} to one node at a time`;
}

/** `claim data lets one pod in at a time`. */
export function letInOne(names: readonly string[], workload: Pick<Workload, 'template'>): string {
  return `${claimsInWords(names, workload)} ${names.length === 1 ? 'lets' : 'let'} one pod in at a time`;
}

/** The number of names that have room in a warning of one line. */
const MOST_NAMES = 3;

function firstOf(names: readonly string[]): string {
  const others = names.length - MOST_NAMES;
  return others <= 0 ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and ${others} more`;
}
