/** How long certificates live from the moment of issue, in milliseconds. */
export interface Lives {
  readonly authority: number;
  readonly serving: number;
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * Serving: renewed after 60 days, which leaves 30 to notice that renewal does not work. Authority: long, since replacing
 * it is the one change that callers can notice.
 */
export const DEFAULT_LIVES: Lives = { authority: 10 * 365 * DAY, serving: 90 * DAY };
