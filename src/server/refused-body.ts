/** A request that is not judged because of its body: what is wrong with it, and with what status it is answered. */
export abstract class RefusedBodyError extends Error {
  abstract readonly code: string;
  abstract readonly status: number;
}

export class BodyTooLargeError extends RefusedBodyError {
  readonly code = 'BODY_TOO_LARGE';
  readonly status = 413;

  constructor(most: number) {
    super(`the body is larger than ${most} bytes: no object that the API server takes is`);
  }
}

export class TooManyValuesError extends RefusedBodyError {
  readonly code = 'TOO_MANY_VALUES';
  readonly status = 413;

  constructor() {
    super('the body holds more values than an object that the API server takes');
  }
}

export class EmptyBodyError extends RefusedBodyError {
  readonly code = 'EMPTY_BODY';
  readonly status = 400;

  constructor() {
    super('the body is empty: send an AdmissionReview');
  }
}

export class InvalidJsonError extends RefusedBodyError {
  readonly code = 'INVALID_JSON';
  readonly status = 400;

  constructor(cause: unknown) {
    super('the body is no JSON: send an AdmissionReview', { cause });
  }
}

export class UnfinishedBodyError extends RefusedBodyError {
  readonly code = 'UNFINISHED_BODY';
  readonly status = 400;

  constructor() {
    super('the sender hung up before the body was complete');
  }
}

export class TooLateError extends RefusedBodyError {
  readonly code = 'TOO_LATE';
  readonly status = 503;

  constructor() {
    super('the time was over before the review could be judged: send its body at once, and try again');
  }
}
