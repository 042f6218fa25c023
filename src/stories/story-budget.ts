import { Budget } from '../budget.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';

/**
 * Operations that the stories of one run may take together, and those of one question: one takes 0.2 microseconds (measured:
 * 1,000 Deployments of 6 replicas, whose stories take 15 million). The longest story of a fixture takes 19,000.
 */
const MOST_OPERATIONS = 70_000_000;
const MOST_FOR_ONE = 200_000;

/** Counts what the stories of one run take, so that no input makes it endless. */
export class StoryBudget {
  #left: number;

  constructor(operations: number = MOST_OPERATIONS) {
    this.#left = operations;
  }

  /** What the question answers of facts with a budget of its own. Where a review would have more than is left, that is none. */
  spend<T>(factsFor: (budget: Budget) => WorkloadFacts, ask: (facts: WorkloadFacts) => T): T {
    const ofAReview = new Budget();
    if (this.#left < ofAReview.left) return ask({ ...factsFor(ofAReview), budget: new Budget(0) });
    const budget = new Budget(Math.min(this.#left, MOST_FOR_ONE));
    const answer = ask(factsFor(budget));
    this.#left -= budget.spent;
    return answer;
  }
}
