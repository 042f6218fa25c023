import { KubernetesApiError } from '../control-plane/kubernetes-api.ts';
import { forecastClassOf, foretoldUnplayed, type OutcomeClass } from './classes.ts';
import { compare, type Disagreement } from './comparison.ts';
import { type Foretold, forecastOf } from './forecast-of.ts';
import { type Act, live, type Observation, Undecided } from './life.ts';
import type { Plan } from './plan.ts';
import { scenarioOf } from './scenario.ts';
import type { Situation } from './situation.ts';
import { type Stage, tearDown } from './stage.ts';

/** One act of a scenario, judged. */
export interface Judged {
  readonly foretold: Foretold;
  readonly observed: Observation;
  readonly disagreements: readonly Disagreement[];
  readonly situation: Situation;
}

/** How one scenario ended. */
export interface Result {
  readonly plan: Plan;
  readonly seconds: number;
  /** Why nothing can be said of it. */
  readonly refused?: string;
  readonly detail?: string;
  readonly foretold?: OutcomeClass;
  readonly acts: readonly Judged[];
}

export function disagreementsIn({ acts }: Result): readonly Disagreement[] {
  return [...new Set(acts.flatMap(({ disagreements }) => disagreements))];
}

export async function play(stage: Stage, plan: Plan): Promise<Result> {
  const scenario = scenarioOf(plan);
  const since = Date.now();
  const ended = (more: Partial<Result>): Result => ({
    plan,
    seconds: Math.round((Date.now() - since) / 100) / 10,
    acts: [],
    ...more,
  });
  try {
    const acts = (await live(stage, scenario)).map((act) => judged(plan, act));
    const foretold = forecastClassOf(
      plan,
      acts.map((act) => act.foretold),
    );
    return ended({ acts, foretold });
  } catch (error) {
    if (error instanceof Undecided) return ended({ refused: error.reason, detail: error.message });
    if (!(error instanceof KubernetesApiError && error.code === 422)) throw error;
    return ended({ refused: 'the API server refuses it', detail: error.message });
  } finally {
    await tearDown(stage, scenario);
  }
}

/** What a plan would show, without a control plane. */
export function unplayed(plan: Plan): Result {
  return { plan, seconds: 0, acts: [], foretold: forecastClassOf(plan, foretoldUnplayed(plan)) };
}

function judged(plan: Plan, { situation, observed }: Act): Judged {
  const foretold = forecastOf(situation);
  return { foretold, observed, disagreements: compare(plan, situation, foretold, observed), situation };
}
