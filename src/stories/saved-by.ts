import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { forecast } from '../forecast/forecast.ts';
import type { Outcomes } from '../forecast/outcome.ts';
import { bySeverity, evaluateWorkload, type Finding } from '../rules/evaluate.ts';
import { rules } from '../rules/index.ts';
import { nodesThatTake } from './one-node.ts';
import type { Trait } from './trait.ts';
import { traitsOf } from './traits.ts';
import { withoutDoubt } from './volume-traits.ts';

/** Something without which a workload would have a finding. */
export interface Saving {
  readonly because: string;
  /** What would be found else; nothing where nothing is at stake at all. */
  readonly otherwise: Pick<Finding, 'rule' | 'severity'> | undefined;
}

/** Why nothing is found of a workload. */
export interface Saved {
  readonly savings: readonly Saving[];
  /** What may happen all the same, which no rule is about. */
  readonly aside: readonly string[];
}

/** As many as a person wants to hear of. */
const MOST_REASONS = 3;

/**
 * Why nothing is found, the most important first: of all that could save the workload as little as is enough, so that each
 * of it is needed. What it would be without is asked of the search.
 */
export function savedBy(facts: WorkloadFacts): Saved {
  return facts.budget.answer(() => savedWithin(facts), TOO_MUCH);
}

function savedWithin(facts: WorkloadFacts): Saved {
  const nothing = nothingAtStake(facts);
  if (nothing !== undefined) return savedOnly(nothing);
  if (facts.budget.left <= 0) return TOO_MUCH;
  const known = withoutDoubt(facts);
  const worst: Worst = (some, isAboutAll) => worstOf(findingsWithout(some, known), isAboutAll);
  if (worst([]) !== undefined) {
    return savedOnly('the rules see no harm; which of its traits saves it cannot be told');
  }
  const savings = withoutNeedless(traitsOf(known), worst);
  const aside = asideOf(known, forecast(known).certain);
  if (facts.budget.gaveUp) return TOO_MUCH;
  return savings.length > 0 ? { savings: savings.slice(0, MOST_REASONS), aside } : { ...savedOnly(NO_WAY), aside };
}

function savedOnly(because: string): Saved {
  return { savings: [{ because, otherwise: undefined }], aside: [] };
}

const TOO_MUCH = savedOnly('to look for what saves it takes more steps than there are');

const NO_WAY = 'however its pods come and go, none of them waits for ever for a volume that another one holds';

/** Why nothing can go wrong with the volumes of a workload, whatever its strategy; `undefined` where something might. */
function nothingAtStake(facts: WorkloadFacts): string | undefined {
  const { workload, claims, ownClaims } = facts;
  const { kind, paused, replicas, metadata, ownClaims: own } = workload;
  if (metadata.deleting) return 'it is being deleted and creates no more pods';
  if (replicas === 0)
    return kind === 'Job' ? 'it has finished, or wants no pods' : 'replicas is 0, so no pod is created';
  if (paused)
    return kind === 'Deployment' ? 'it is paused, so no new pod is created' : 'it is suspended, so no pod is created';
  if (claims.length === 0 && ownClaims.length === 0) {
    return own.prefixes.length > 0
      ? 'each of its pods has volumes of its own, which the pod of that name takes over when it comes again'
      : 'its pods share no volume: there is nothing that one could hold and another wait for';
  }
  return nodesThatTake(facts)?.length === 0
    ? 'no node takes its pods, so nothing can be said of where they run'
    : undefined;
}

/** What would be found without these. */
type Worst = (some: readonly Trait[], isAboutAll?: true) => Finding | undefined;

/** Takes away what is not needed beside the rest, the least important first. */
function withoutNeedless(all: readonly Trait[], worst: Worst): readonly Saving[] {
  const needless: Trait[] = [];
  const needed: Saving[] = [];
  for (const trait of all.toReversed()) {
    const saving = savingOf(trait, needless, worst);
    if (saving === undefined) needless.push(trait);
    else needed.unshift(saving);
  }
  return needed;
}

/** What the trait saves from, where those are missing already. */
function savingOf(trait: Trait, missing: readonly Trait[], worst: Worst): Saving | undefined {
  const { because, isAboutAll } = trait;
  // What it would be as it is now tells more, where that is enough to tell.
  const otherwise = worst([trait], isAboutAll) ?? worst([...missing, trait], isAboutAll);
  return otherwise && { because, otherwise };
}

function asideOf({ claims, ownClaims }: WorkloadFacts, { rollout, steady, autoscaled }: Outcomes): readonly string[] {
  const isStuck = rollout.stuck || steady.stuck || (autoscaled?.outcome.stuck ?? false);
  if (isStuck) return ['its pods may stay Pending, because too few nodes take them; no volume is the cause'];
  const waits = [...claims, ...ownClaims.flat()].some(({ unmounted }) => !unmounted);
  const isLate = waits && (rollout.multiAttach || steady.multiAttach);
  return isLate
    ? ['in a rollout a volume may have to move: the new pod waits until it is detached, and no longer']
    : [];
}

/** The gravest, and of several as grave the one that the trait is about. */
function worstOf(found: readonly Finding[], isAboutAll = false): Finding | undefined {
  const [gravest, ...others] = bySeverity(found);
  const isAbout = ({ judges, severity }: Finding): boolean => severity === gravest?.severity && judges === 'steady';
  return isAboutAll ? (others.find(isAbout) ?? gravest) : gravest;
}

/** What would be found of the workload without these. */
function findingsWithout(some: readonly Trait[], facts: WorkloadFacts): readonly Finding[] {
  const changed = some.reduce((before, { without }) => without(before), facts);
  const { certain } = forecast(changed);
  return evaluateWorkload(rules, changed.workload, { certain, possible: [], open: [], overBudget: false });
}
