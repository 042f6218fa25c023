import type { Deadline } from './deadline.ts';
import { parsedFrom, parsedWeightOf } from './json-weight.ts';
import { TooLateError, TooManyValuesError } from './refused-body.ts';
import type { ReceivedBody } from './request-bodies.ts';

/** A review that waits for room, or has it until it is answered. */
interface Review {
  readonly weight: number;
  readonly deadline: Deadline;
  /** When the review got its room, in milliseconds. */
  since: number;
}

/** While others wait, no review asks the API server for longer: it is answered with what is known by then. */
const LONGEST_MS = 1_000;

/**
 * The memory that reviews have while they are judged. JSON grows many times over when it is parsed, so no more is parsed at
 * a time than there is room for. The lightest of those that wait is next, so that a crowd of heavy ones holds up nobody but
 * itself.
 */
export class ReviewMemory {
  readonly #room: number;
  readonly #now: () => number;
  #used = 0;
  /** The reviews that are being judged, in the order in which they began. */
  readonly #judged = new Set<Review>();
  readonly #waiting = new Map<Review, () => void>();
  #timer: NodeJS.Timeout | undefined;

  /** Room in bytes, as `parsedWeightOf` counts them; `now` in milliseconds. */
  constructor(room: number, now: () => number) {
    this.#room = room;
    this.#now = now;
  }

  /**
   * Hands over what the body says as soon as there is room for it, and counts it until the promise is settled. Rejects with
   * EmptyBodyError, InvalidJsonError, TooManyValuesError, or with TooLateError where the deadline came first.
   */
  async judged<T>(body: ReceivedBody, deadline: Deadline, judge: (review: unknown) => Promise<T>): Promise<T> {
    const review: Review = { weight: parsedWeightOf(body.bytes), deadline, since: 0 };
    if (review.weight > this.#room) throw new TooManyValuesError();
    if (deadline.signal.aborted) throw new TooLateError();
    if (this.#waiting.size === 0 && this.#fits(review)) this.#begin(review);
    else await this.#turn(review);
    try {
      const parsed = parsedFrom(body.bytes);
      body.release();
      return await judge(parsed);
    } finally {
      this.#used -= review.weight;
      this.#judged.delete(review);
      this.#letIn();
    }
  }

  #fits({ weight }: Review): boolean {
    return this.#used + weight <= this.#room;
  }

  #begin(review: Review): void {
    this.#used += review.weight;
    review.since = this.#now();
    this.#judged.add(review);
  }

  async #turn(review: Review): Promise<void> {
    const { signal } = review.deadline;
    const turn = Promise.withResolvers<void>();
    const late = (): void => {
      if (this.#waiting.delete(review)) turn.reject(new TooLateError());
    };
    signal.addEventListener('abort', late, { once: true });
    this.#waiting.set(review, turn.resolve);
    this.#watchOldest();
    await turn.promise.finally(() => signal.removeEventListener('abort', late));
  }

  #letIn(): void {
    for (let next = this.#lightest(); next !== undefined && this.#fits(next); next = this.#lightest()) {
      const begin = this.#waiting.get(next);
      this.#waiting.delete(next);
      this.#begin(next);
      begin?.();
    }
  }

  #lightest(): Review | undefined {
    let lightest: Review | undefined;
    for (const review of this.#waiting.keys()) {
      if (lightest === undefined || review.weight < lightest.weight) lightest = review;
    }
    return lightest;
  }

  /** Looks again for as long as anybody waits. */
  #watchOldest(): void {
    const [oldest] = this.#judged;
    if (this.#timer !== undefined || this.#waiting.size === 0 || oldest === undefined) return;
    const left = oldest.since + LONGEST_MS - this.#now();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#waiting.size > 0) this.#endThoseSince(this.#now() - LONGEST_MS);
        this.#watchOldest();
      },
      Math.max(left, AGAIN_MS),
    ).unref();
  }

  #endThoseSince(moment: number): void {
    for (const { since, deadline } of this.#judged) {
      if (since > moment) return;
      deadline.end();
    }
  }
}

/** Whoever was ended has that long to be answered before it is looked at again. */
const AGAIN_MS = 50;
