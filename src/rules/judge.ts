import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { forecast } from '../forecast/forecast.ts';
import type { RecurringAnswers } from '../forecast/recurring-answers.ts';
import type { Running } from '../forecast/running.ts';
import { evaluateWorkload, type Finding } from './evaluate.ts';
import type { Rule } from './rule.ts';

/** The rules to judge by, and what was found of workloads like these. */
export interface Judge {
  readonly rules: readonly Rule[];
  readonly answers?: RecurringAnswers | undefined;
}

/** Everything that the rules find in what the controllers will do with this workload, whose pods run as `running` tells. */
export function judge({ rules, answers }: Judge, facts: WorkloadFacts, running: Running = {}): readonly Finding[] {
  return evaluateWorkload(rules, facts.workload, forecast(facts, running, { answers }));
}
