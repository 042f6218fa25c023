import type { Claim } from '../facts/claim.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import { type Assumption, exclusivityOf, isAttachedToOne } from './assumption.ts';
import { mostPodsOf } from './fewer-replicas.ts';
import { nodesFor } from './nodes-in-question.ts';
import type { Outcome, Outcomes } from './outcome.ts';
import { PodDraft } from './pod-class.ts';
import type { Reason } from './reasons.ts';
import type { Running } from './running.ts';
import { isSelected, USABLE } from './scheduler/node-filters.ts';

/** Answers by question; every ordinary workload of a cluster is one of a few hundred. */
const MOST_ANSWERS = 1_000;

/** An answer stands for a question only where that has operations to spare, so that the search would have come to its end. */
const SPARE = 4;

interface Answered {
  /** Claims by their place in the pods. */
  readonly outcomes: Outcomes;
  readonly operations: number;
}

/**
 * Answers to questions that recur: the search knows nothing of most workloads but a few numbers, and need not go through the
 * same again. An answer costs a review the operations that the search took, so that nothing depends on what was asked before.
 */
export class RecurringAnswers {
  readonly #answers = new Map<string, Answered>();

  answer({ claims, budget }: WorkloadFacts, key: string, ask: () => Outcomes): Outcomes {
    const known = this.#answers.get(key);
    if (known !== undefined && budget.left > SPARE * known.operations) {
      budget.spend(known.operations);
      return renamed(known.outcomes, (place) => claims[Number(place)]?.name ?? place);
    }
    const since = budget.spent;
    const outcomes = ask();
    if (budget.gaveUp) return outcomes;
    if (this.#answers.size >= MOST_ANSWERS) this.#answers.clear();
    const places = new Map(claims.map(({ name }, place) => [name, `${place}`]));
    const byPlace = renamed(outcomes, (name) => places.get(name) ?? name);
    this.#answers.set(key, { outcomes: byPlace, operations: budget.spent - since });
    return outcomes;
  }
}

function renamed({ rollout, steady, autoscaled, shared }: Outcomes, rename: (name: string) => string): Outcomes {
  const named = <T extends Reason>(reasons: readonly T[]): readonly T[] =>
    reasons.length === 0 ? reasons : reasons.map((one) => ({ ...one, claims: one.claims.map(rename) }));
  const outcome = (one: Outcome): Outcome => (one.waits.length === 0 ? one : { ...one, waits: named(one.waits) });
  return {
    rollout: outcome(rollout),
    steady: outcome(steady),
    autoscaled: autoscaled && { ...autoscaled, outcome: outcome(autoscaled.outcome) },
    shared: shared.map((user) => ({ ...user, reasons: named(user.reasons) })),
  };
}

/** What is asked besides the facts, as far as the answer depends on it. */
export interface Asked {
  readonly assumption: Assumption;
  /** What an autoscaler may ask for. */
  readonly most: number;
  readonly podsEnd: boolean;
}

/**
 * Tells the question from others. `undefined` where it is not of numbers alone: other workloads matter, pods are told from
 * each other or are somewhere, volumes are still to be made, are going away or are not mounted, or no node takes the pods.
 */
export function keyOf(facts: WorkloadFacts, { before, places }: Running, asked: Asked): string | undefined {
  const { workload, claims, ownClaims, otherUsers, nearby, nodes } = facts;
  const others = [otherUsers, nearby].reduce((sum, { pods, unknown }) => sum + pods.length + unknown.length, 0);
  if (before !== undefined || places !== undefined || others + ownClaims.length > 0 || !nodes.known) return undefined;
  const { kind, replicas, onEveryNode, concurrencyPolicy, indexed, parallel, strategy, template } = workload;
  if (onEveryNode || indexed || isTold(template) || !areOrdinary(claims)) return undefined;
  const { assumption, most, podsEnd } = asked;
  const exclusive = claims.map((claim) => exclusivityIn(claim, assumption));
  const count = nodesTaking(facts, asked);
  if (count === 0) return undefined;
  return JSON.stringify([kind, replicas, concurrencyPolicy, parallel, strategy, most, podsEnd, exclusive, count]);
}

/** That a claim is for one pod counts for more where it is known. */
function exclusivityIn(claim: Claim, assumption: Assumption): readonly [boolean, string, boolean] {
  const { onePod } = claim;
  return [isAttachedToOne(claim, assumption), exclusivityOf(claim, assumption), onePod.known && onePod.value];
}

/** Whether something tells pods of the template from each other, or from those of others. */
function isTold({ nodeName, podAffinity, podAntiAffinity, spread, hostPorts, restrictedDisks }: PodTemplate): boolean {
  const terms = podAffinity.length + podAntiAffinity.length + spread.length + hostPorts.length + restrictedDisks.length;
  return nodeName !== undefined || terms > 0;
}

/** Each is a volume by itself, which is somewhere and stays, and for which the pods wait. */
function areOrdinary(claims: readonly Claim[]): boolean {
  if (claims.some(({ onceBound, deleting, unmounted }) => onceBound !== undefined || deleting || unmounted))
    return false;
  if (claims.length < 2) return true;
  const [names, identities] = [
    new Set(claims.map(({ name }) => name)),
    new Set(claims.map(({ identity }) => identity)),
  ];
  return names.size === claims.length && identities.size === claims.length;
}

/** How many nodes take the pods with their volumes, of as many as could matter: nothing else tells them apart. */
function nodesTaking(facts: WorkloadFacts, { assumption, most }: Asked): number {
  const claims = facts.claims.map((claim, volume) => ({ claim, volume }));
  const kind = { revision: 'new', number: undefined, isOwn: true, areThere: false, countsCordons: false } as const;
  const pod = new PodDraft({ facts, claims, ...kind });
  const search = facts.nodes.known ? facts.nodes.value : undefined;
  const around = { places: undefined, mostPods: mostPodsOf(facts.workload, most), search, assumption };
  const passed = nodesFor([pod], around).passedBy(pod);
  return passed.filter((bits) => isSelected(bits) && (bits & USABLE) > 0).length;
}
