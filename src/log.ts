import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * One JSON object a line: the message is a constant that can be searched for, everything else is a field. `warn` and
 * above are for an operator to look into.
 */
export function createLog(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}
