import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { forecast } from '../forecast/outcome.ts';
import type { Running } from '../forecast/running.ts';
import { evaluateWorkload, type Finding } from './evaluate.ts';
import type { Rule } from './rule.ts';

/** Everything that the rules find in what the controllers will do with this workload, whose pods run as `running` tells. */
export function judge(rules: readonly Rule[], facts: WorkloadFacts, running: Running = {}): readonly Finding[] {
  return evaluateWorkload(rules, facts.workload, forecast(facts, running));
}
