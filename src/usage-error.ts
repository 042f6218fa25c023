/** What was asked for cannot be done as it was asked. The message says what to change. */
export class UsageError extends Error {
  readonly code = 'USAGE';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}
