/** The part of a pino logger that is used here: fields first, then a constant sentence. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
