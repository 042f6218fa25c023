/** What was asked for cannot be done as it was asked. The message says what to change. */
export class UsageError extends Error {
  readonly code = 'USAGE';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** Whether somebody can help it: errors that were expected have a code and tell the next step. Anything else is a bug. */
export function isExpected(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && !error.code.startsWith('ERR_');
}
