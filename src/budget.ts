/**
 * How many operations the questions of one review, or of one workload of a file, may take together. One takes a
 * tenth to a fifth of a microsecond: a label compared, a node looked at. Together that is half of the 20 ms that any legal
 * object may cost, and the other half is for what is not counted. An ordinary Deployment takes some two hundred.
 */
const MOST_OPERATIONS = 45_000;

/** A question was given up because the budget had ended. Whoever asks says what holds then, and that the answer is open. */
export class OverBudgetError extends Error {
  readonly code = 'OVER_BUDGET';

  constructor() {
    super('judging it takes more steps than one review has: ask for less in one object');
    this.name = 'OverBudgetError';
  }
}

/** Counts operations, not time, so that the same input always gets the same answer. Made by whoever starts a review. */
export class Budget {
  readonly #most: number;
  readonly #whole: Budget | undefined;
  #spent = 0;
  #gaveUp = false;

  constructor(most = MOST_OPERATIONS, whole?: Budget) {
    this.#most = most;
    this.#whole = whole;
  }

  /** The operations that were spent so far. */
  get spent(): number {
    return this.#spent;
  }

  /** How many operations may still be spent. */
  get left(): number {
    return Math.min(this.#most - this.#spent, this.#whole?.left ?? Number.POSITIVE_INFINITY);
  }

  get isSpent(): boolean {
    return this.#spent > this.#most;
  }

  /** Whether some question was given up, so that what was not found may be there all the same. */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }

  /** Counts operations ahead of the work. Throws OverBudgetError once more is spent than there is, and ever after. */
  spend(operations = 1): void {
    this.#spent += operations;
    this.#whole?.spend(operations);
    if (!this.isSpent) return;
    this.giveUp();
    throw new OverBudgetError();
  }

  /** Something was left unasked because there was too much of it. */
  giveUp(): void {
    this.#gaveUp = true;
    this.#whole?.giveUp();
  }

  /** A budget of at most so many operations of this one, so that one question leaves something to the others. */
  share(operations: number): Budget {
    return new Budget(operations, this);
  }

  /** What the question answers, or `otherwise` where the budget ends before it does. */
  answer<T>(question: () => T, otherwise: T): T {
    try {
      return question();
    } catch (error) {
      if (error instanceof OverBudgetError) return otherwise;
      throw error;
    }
  }
}
