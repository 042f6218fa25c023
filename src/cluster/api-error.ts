import { isObject, type JsonObject } from '../objects/json.ts';

/** The API server answered, but not with what was asked for. */
export class ApiError extends Error {
  /** `HTTP_403` and the like. */
  readonly code: string;
  readonly status: number;
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(asked: string, status: number, answer: string, retryAfterMs?: number) {
    super(`${asked} was answered ${status}: ${answer}: ${nextStep(status)}`);
    this.name = 'ApiError';
    this.code = `HTTP_${status}`;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** The permission is missing, or this API server does not serve the resource: asking again soon will not help. */
  get refused(): boolean {
    return this.status === 403 || this.status === 404;
  }

  /** The state to go on from is no longer kept (410) or never was (400): only a new list helps. */
  get expired(): boolean {
    return this.status === 410 || this.status === 400;
  }
}

function nextStep(status: number): string {
  switch (status) {
    case 401:
      return 'renew the token or certificate';
    case 403:
      return 'grant the permission to this account';
    case 404:
      return 'check that this API server serves it';
    case 400:
    case 410:
      return 'list again';
    default:
      return 'see the log of the API server if it stays so';
  }
}

/** The error that a `Status` object tells of: the body of a refused request, or an ERROR event of a watch. */
export function apiErrorFrom(asked: string, status: JsonObject): ApiError {
  const { code, message, details } = status;
  const seconds = isObject(details) ? details.retryAfterSeconds : undefined;
  return new ApiError(
    asked,
    typeof code === 'number' ? code : 500,
    typeof message === 'string' ? message : 'no message',
    typeof seconds === 'number' ? seconds * 1000 : undefined,
  );
}

/** An answer that is no JSON object, or an event that no watch may bring. */
export class UnreadableAnswerError extends Error {
  readonly code = 'UNREADABLE_ANSWER';

  constructor(asked: string, problem: string, cause?: unknown) {
    super(`${asked} was answered with ${problem}: check that a Kubernetes API server is at this address`, { cause });
    this.name = 'UnreadableAnswerError';
  }
}

/** What went wrong last, for logs, readiness and messages. */
export interface ApiProblem {
  readonly code: string;
  readonly message: string;
}

export function problemOf(error: unknown): ApiProblem {
  if (!(error instanceof Error)) return { code: 'UNEXPECTED', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'UNEXPECTED';
  return { code, message: error.message || code }; // several addresses that all refuse make an error without words
}
