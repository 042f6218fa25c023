import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { forecast } from '../forecast/forecast.ts';
import type { Outcomes } from '../forecast/outcome.ts';
import type { Running } from '../forecast/running.ts';
import { bySeverity, evaluateWorkload, type Finding } from '../rules/evaluate.ts';
import { rules } from '../rules/index.ts';
import { nothingAtStake } from './nothing-at-stake.ts';
import type { Trait } from './trait.ts';
import { traitsOf } from './traits.ts';
import { withoutDoubt } from './volume-traits.ts';

/** Something without which a workload would have a finding. */
export interface Saving {
  readonly because: string;
  /** What would be found else; nothing where nothing is at stake at all. */
  readonly otherwise: Pick<Finding, 'rule' | 'severity'> | undefined;
}

/** As many as a person wants to hear of. */
const MOST_REASONS = 3;

/** Why nothing is found of a workload. */
export interface Saved {
  readonly savings: readonly Saving[];
  /** What may happen all the same, which no rule is about. */
  readonly aside: readonly string[];
}

/**
 * Why nothing is found, the most important first: of all that could save the workload as little as is enough, so that each
 * of it is needed. What it would be without is asked of the search.
 */
export function savedBy(facts: WorkloadFacts, running: Running): Saved {
  return facts.budget.answer(() => savedWithin(facts, running), TOO_MUCH);
}

function savedWithin(facts: WorkloadFacts, running: Running): Saved {
  const nothing = nothingAtStake(facts);
  if (nothing !== undefined) return { savings: [{ because: nothing, otherwise: undefined }], aside: [] };
  if (facts.budget.left <= 0) return TOO_MUCH;
  const known = withoutDoubt(facts);
  const worst = (some: readonly Trait[], isAboutAll = false) =>
    worstOf(findingsWithout(some, known, running), isAboutAll);
  if (worst([]) !== undefined) return { savings: [{ because: NOT_KNOWN, otherwise: undefined }], aside: [] };
  const all = traitsOf(known);
  const enough = withoutNeedless(all, worst);
  // A trait may do harm as well, so that without it nothing is needed of what is needed with it.
  const savings = enough.length > 0 ? enough : eachNeeded(all, worst);
  const aside = asideOf(forecast(known, running).certain);
  if (facts.budget.gaveUp) return TOO_MUCH;
  if (savings.length === 0) return { savings: [{ because: NO_WAY, otherwise: undefined }], aside };
  return { savings: savings.slice(0, MOST_REASONS), aside };
}

/** What would be found without these. */
type Worst = (some: readonly Trait[], isAboutAll?: boolean) => Finding | undefined;

/** Takes away what is not needed beside the rest, the least important first. */
function withoutNeedless(all: readonly Trait[], worst: Worst): readonly Saving[] {
  const needless: Trait[] = [];
  const needed: Saving[] = [];
  for (const trait of all.toReversed()) {
    const otherwise = worst([...needless, trait], trait.isAboutAll);
    if (otherwise === undefined) needless.push(trait);
    // What it would be as it is now tells more, where that is enough to tell.
    else needed.unshift({ because: trait.because, otherwise: worst([trait], trait.isAboutAll) ?? otherwise });
  }
  return needed;
}

function eachNeeded(all: readonly Trait[], worst: Worst): readonly Saving[] {
  return all.flatMap((trait) => {
    const otherwise = worst([trait], trait.isAboutAll);
    return otherwise === undefined ? [] : [{ because: trait.because, otherwise }];
  });
}

const TOO_MUCH: Saved = {
  savings: [{ because: 'to look for what saves it takes more steps than there are', otherwise: undefined }],
  aside: [],
};

const NOT_KNOWN = 'the rules see no harm; which of its traits saves it cannot be told';

const NO_WAY = 'however its pods come and go, none of them waits for ever for a volume that another one holds';

function asideOf({ rollout, steady, autoscaled }: Outcomes): readonly string[] {
  const isStuck = rollout.stuck || steady.stuck || (autoscaled?.outcome.stuck ?? false);
  if (isStuck) return ['its pods may stay Pending, because too few nodes take them; no volume is the cause'];
  const isLate = rollout.multiAttach || steady.multiAttach;
  return isLate
    ? ['in a rollout a volume may have to move: the new pod waits until it is detached, and no longer']
    : [];
}

/** The gravest, and of several as grave the one that the trait is about. */
function worstOf(found: readonly Finding[], isAboutAll: boolean): Finding | undefined {
  const [gravest, ...others] = bySeverity(found);
  const isAbout = ({ judges, severity }: Finding): boolean => severity === gravest?.severity && judges === 'steady';
  return isAboutAll ? (others.find(isAbout) ?? gravest) : gravest;
}

/** What would be found of the workload without these. */
function findingsWithout(some: readonly Trait[], facts: WorkloadFacts, running: Running): readonly Finding[] {
  const changed = some.reduce((before, { without }) => without(before), facts);
  const { certain } = forecast(changed, running);
  return evaluateWorkload(rules, changed.workload, { certain, possible: [], open: [], overBudget: false });
}
