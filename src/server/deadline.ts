/** The time until which one answer is of use to somebody. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the time now: what is not known by now stays unknown. */
  end(): void;
  /** Tells that the answer is there, and nothing is left to end. */
  met(): void;
}

/** What `timeoutSeconds` defaults to (`k8s.io/api/admissionregistration/v1`). */
const DEFAULT_SECONDS = 10;

/** The most that `timeoutSeconds` may be. */
const MAX_SECONDS = 30;

/**
 * The signal ends this much earlier than the API server does: the event loop may be held for 100 ms before a review is
 * read and once more before its answer is written, and the way back through the network takes its part.
 */
const MARGIN_MS = 250;

/** `timeout` is the query parameter in which the API server tells how long it waits: `3s`, always whole seconds. */
export function deadlineFor(timeout: unknown): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), patienceSeconds(timeout) * 1000 - MARGIN_MS);
  timer.unref(); // who waits for the answer keeps the process alive, and nobody else needs it to
  return { signal: controller.signal, end: () => controller.abort(), met: () => clearTimeout(timer) };
}

function patienceSeconds(timeout: unknown): number {
  const digits = typeof timeout === 'string' ? /^(\d{1,2})s$/.exec(timeout)?.[1] : undefined;
  const seconds = Number(digits);
  return seconds >= 1 && seconds <= MAX_SECONDS ? seconds : DEFAULT_SECONDS;
}
