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

/**
 * In milliseconds, how long callers must have trusted an authority before anything that it signed is served. An API server
 * hears of a new caBundle by a watch, within a second as a rule; a minute is for one that has to open its watch again.
 */
export const SETTLING = 60_000;
