import { Budget as ReviewBudget } from '../budget.ts';
import type { PodFacts, WorkloadFacts } from '../facts/workload-facts.ts';
import type { Budget } from '../forecast/model/search.ts';
import { selectorsOf } from '../objects/pod-template.ts';

/**
 * States that the stories of one run may look at together, and those of one question: a state takes 3 to 5 microseconds (measured: 1,000 Deployments of 6 replicas).
 * The longest story of a fixture takes 2,000.
 */
const MOST_STATES = 3_000_000;
const MOST_FOR_ONE = 20_000;

/** How many times a node is compared with a requirement in the time that a state takes, and in how many worlds for a story. */
const COMPARED_PER_STATE = 20;

/** Counts what the stories of one run take, so that no input makes it endless. */
export class StoryBudget {
  #left: number;

  constructor(states: number = MOST_STATES) {
    this.#left = states;
  }

  /** What the question answers with the states that it may look at; none are left where its nodes alone take too many. */
  spend<T>(factsFor: (budget: ReviewBudget) => WorkloadFacts, ask: (facts: WorkloadFacts, budget: Budget) => T): T {
    const facts = factsFor(new ReviewBudget());
    const nodes = costOfNodes(facts);
    const given = Math.max(0, Math.min(this.#left - nodes, MOST_FOR_ONE - nodes));
    const budget = { left: given };
    const answer = ask(facts, budget);
    if (given > 0) this.#left -= nodes + given - Math.max(0, budget.left);
    return answer;
  }
}

/** Every node is compared with what every pod asks of it. */
function costOfNodes({ nodes, otherUsers, ...facts }: WorkloadFacts): number {
  if (!nodes.known) return 0;
  const asked = [facts, ...otherUsers.pods].reduce((sum, pod) => sum + requirementsOf(pod), 0);
  return Math.ceil((nodes.value.size * asked) / COMPARED_PER_STATE);
}

function requirementsOf({
  workload: { template },
  claims,
  ownClaims,
}: Pick<PodFacts, 'workload' | 'claims' | 'ownClaims'>): number {
  const selected = selectorsOf(template).flat();
  const placed = [...claims, ...ownClaims.flat()].flatMap(({ nodeAffinity = [] }) => nodeAffinity);
  const terms = [...selected, ...placed].reduce(
    (sum, { expressions, fields }) => sum + expressions.length + fields.length,
    0,
  );
  return 1 + terms + template.tolerations.length + template.spread.length + claims.length;
}
