import { forecastClassOf, foretoldUnplayed, type OutcomeClass } from './classes.ts';
import { compare, type Disagreement } from './comparison.ts';
import { type Foretold, forecastOf } from './forecast-of.ts';
import type { Act, Observation } from './life.ts';
import type { Plan } from './plan.ts';
import { playedOn } from './played.ts';
import { scenarioOf } from './scenario.ts';
import type { Situation } from './situation.ts';
import type { Stage } from './stage.ts';
import { type Tried, tried } from './trying.ts';

/** One act of a scenario, judged. */
export interface Judged {
  readonly foretold: Foretold;
  readonly observed: Observation;
  readonly disagreements: readonly Disagreement[];
  readonly situation: Situation;
  /** What was played in its place, where it is judged bad. */
  readonly remedies: readonly Tried[];
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

/** How much of a scenario is played. */
export interface Playing {
  /** Also what a user is told to do about it. */
  readonly remedies: boolean;
}

export async function play(stage: Stage, plan: Plan, { remedies }: Playing): Promise<Result> {
  const since = Date.now();
  const { acts: lived, ...undecided } = await playedOn(stage, scenarioOf(plan));
  const acts: Judged[] = [];
  for (const [index, act] of lived.entries()) {
    acts.push(judged(plan, act, remedies ? await tried(stage, plan, act, index) : []));
  }
  const foretold = acts.map((act) => act.foretold);
  return {
    plan,
    seconds: Math.round((Date.now() - since) / 100) / 10,
    acts,
    ...(undecided.refused === undefined ? { foretold: forecastClassOf(plan, foretold) } : undecided),
  };
}

/** What a plan would show, without a control plane. */
export function unplayed(plan: Plan): Result {
  return { plan, seconds: 0, acts: [], foretold: forecastClassOf(plan, foretoldUnplayed(plan)) };
}

function judged(plan: Plan, { situation, observed }: Act, remedies: readonly Tried[]): Judged {
  const foretold = forecastOf(situation);
  const disagreements = [...compare(plan, situation, foretold, observed)];
  if (remedies.some(({ end }) => end === 'did not help')) disagreements.push('remedy did not help');
  return { foretold, observed, disagreements, situation, remedies };
}
