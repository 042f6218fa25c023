import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { shown } from './decision/shown.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Bytes of one text. Whoever sends a request chooses some of what is told of it, such as the names of user and object. */
const MOST_OF_TEXT = 1_024;

/** Bytes of an error, which holds lines of its stack. */
const MOST_OF_ERROR = 8_192;

/**
 * One JSON object a line: the message is a constant that can be searched for, everything else is a field. `warn` and
 * above are for an operator to look into, and denials.
 */
export function createLog(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: legible },
      serializers: { err: legibleError },
    },
    destination,
  );
}

/** Nearly always the fields themselves: a copy takes longer than a look at each. */
function legible(fields: Record<string, unknown>): Record<string, unknown> {
  const isLegible = (value: unknown): boolean => typeof value !== 'string' || shown(value, MOST_OF_TEXT) === value;
  for (const name in fields) {
    if (!isLegible(fields[name])) return mapTexts(fields, (text) => shown(text, MOST_OF_TEXT));
  }
  return fields;
}

/** The lines of a stack stay lines, for JSON writes them as one. */
function legibleError(error: Error): unknown {
  const told = stdSerializers.err(error);
  return mapTexts({ ...told }, (text) =>
    text
      .split('\n')
      .map((line) => shown(line, MOST_OF_TEXT))
      .join('\n')
      .slice(0, MOST_OF_ERROR),
  );
}

function mapTexts(fields: Record<string, unknown>, change: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value]),
  );
}

/** Writes the lines of one turn of the event loop together: to write one takes longer than to make it. */
export class LinesOfTurn implements DestinationStream {
  readonly #destination: DestinationStream;
  #lines = '';

  constructor(destination: DestinationStream) {
    this.#destination = destination;
  }

  write(line: string): void {
    if (this.#lines === '') setImmediate(() => this.flush());
    this.#lines += line;
  }

  /** Writes what is left, before the process ends. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#destination.write(lines);
  }
}
