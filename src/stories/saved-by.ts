import type { WorkloadFacts } from '../facts/gather.ts';
import { forecast } from '../forecast/model/forecast.ts';
import type { Budget } from '../forecast/model/search.ts';
import type { Outcomes } from '../forecast/outcome.ts';
import type { Running } from '../forecast/running.ts';
import { bySeverity, evaluateWorkload, type Finding } from '../rules/evaluate.ts';
import { rules } from '../rules/index.ts';
import { nothingAtStake } from './nothing-at-stake.ts';
import { type Trait, traitsOf, withoutDoubt } from './traits.ts';

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
export function savedBy(facts: WorkloadFacts, running: Running, budget: Budget): Saved {
  const nothing = nothingAtStake(facts);
  if (nothing !== undefined) return { savings: [{ because: nothing, otherwise: undefined }], aside: [] };
  if (budget.left <= 0) return TOO_MUCH;
  const known = withoutDoubt(facts);
  const worst = (some: readonly Trait[], isAboutAll = false) =>
    worstOf(findingsWithout(some, known, running, budget), isAboutAll);
  if (worst([]) !== undefined) return { savings: [{ because: NOT_KNOWN, otherwise: undefined }], aside: [] };
  const all = traitsOf(known);
  const needless: Trait[] = [];
  for (const trait of all.toReversed()) {
    if (worst([...needless, trait]) === undefined) needless.push(trait);
  }
  const enough = all.filter((trait) => !needless.includes(trait));
  // A trait may do harm as well; without it, less is needed than there is.
  const needed = enough.length > 0 ? enough : all.filter((trait) => worst([trait]) !== undefined);
  const left = enough.length > 0 ? needless : [];
  const { certain } = forecast(known, running, { budget });
  const aside = asideOf(certain);
  if (needed.length === 0 && budget.left > 0) return { savings: [{ because: NO_WAY, otherwise: undefined }], aside };
  const savings = needed
    .slice(0, MOST_REASONS)
    .map((trait) => ({ because: trait.because, otherwise: worst([...left, trait], trait.isAboutAll) }));
  return budget.left > 0 ? { savings, aside } : TOO_MUCH;
}

const TOO_MUCH: Saved = {
  savings: [{ because: 'to look for what saves it takes more steps than there are', otherwise: undefined }],
  aside: [],
};

const NOT_KNOWN = 'the rules see nothing in its way; which of its traits that is cannot be told';

const NO_WAY = 'however its pods come and go, none of them waits for ever for a volume that another one holds';

function asideOf({ rollout, steady, autoscaled }: Outcomes): readonly string[] {
  const isStuck = rollout.stuck || steady.stuck || (autoscaled?.outcome.stuck ?? false);
  if (isStuck)
    return ['its pods may stay Pending all the same, because too few nodes take them; no volume is the cause'];
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
function findingsWithout(
  some: readonly Trait[],
  facts: WorkloadFacts,
  running: Running,
  budget: Budget,
): readonly Finding[] {
  const changed = some.reduce((before, { without }) => without(before), facts);
  const { certain } = forecast(changed, running, { budget });
  return evaluateWorkload(rules, changed.workload, { certain, possible: [], open: [], overBudget: false });
}
