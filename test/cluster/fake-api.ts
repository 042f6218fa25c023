import { setImmediate } from 'node:timers/promises';
import type { ApiConnection, CallOptions, Query } from '../../src/cluster/connection.ts';
import type { Logger } from '../../src/cluster/reflector.ts';
import type { Time } from '../../src/cluster/time.ts';
import type { JsonObject } from '../../src/objects/json.ts';

export interface Call {
  readonly path: string;
  readonly query: Query;
}

/** What a call gets: an answer, or an error to be rejected with. */
type Answer<T> = (call: Call) => T | Error | Promise<T | Error>;

/** Counts calls and gives the answers that a test wrote down for them. */
export class FakeApi implements ApiConnection {
  readonly gets: Call[] = [];
  readonly lists: Call[] = [];
  readonly watches: Call[] = [];
  readonly #answer: Answer<JsonObject>;
  readonly #watch: Answer<FakeWatch>;

  /** `answer` for objects and for pages of lists. */
  constructor(answer: Answer<JsonObject>, watch: Answer<FakeWatch> = () => new FakeWatch()) {
    this.#answer = answer;
    this.#watch = watch;
  }

  async request(path: string, query: Query, { signal }: CallOptions): Promise<JsonObject> {
    signal.throwIfAborted();
    const call = { path, query };
    this.gets.push(call);
    return orThrow(await this.#answer(call));
  }

  async stream(path: string, query: Query, { signal }: CallOptions): Promise<AsyncIterable<Uint8Array>> {
    signal.throwIfAborted();
    const call = { path, query };
    if (query.watch !== 'true') return this.#page(call);
    this.watches.push(call);
    const watch = orThrow(await this.#watch(call));
    signal.addEventListener('abort', () => watch.fail(signal.reason));
    return watch;
  }

  async #page(call: Call): Promise<AsyncIterable<Uint8Array>> {
    this.lists.push(call);
    const page = orThrow(await this.#answer(call));
    return (async function* () {
      yield Buffer.from(JSON.stringify(page));
    })();
  }
}

function orThrow<T>(answer: T | Error): T {
  if (answer instanceof Error) throw answer;
  return answer;
}

/** A watch whose events a test sends when it likes. */
export class FakeWatch implements AsyncIterable<Uint8Array> {
  readonly #pieces: (Uint8Array | Error | 'end')[] = [];
  #wake: () => void = () => undefined;

  send(type: string, object: JsonObject): this {
    return this.#push(Buffer.from(`${JSON.stringify({ type, object })}\n`));
  }

  /** As the server's own time limit does. */
  end(): this {
    return this.#push('end');
  }

  fail(error: Error): this {
    return this.#push(error);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece === 'end') return;
      if (piece instanceof Error) throw piece;
      if (piece !== undefined) yield piece;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #push(piece: Uint8Array | Error | 'end'): this {
    this.#pieces.push(piece);
    this.#wake();
    return this;
  }
}

/** Time that passes only while somebody sleeps, and then at once. */
export class FakeTime implements Time {
  readonly slept: number[] = [];
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.pass(ms);
    await setImmediate();
  }

  random(): number {
    return 0.5;
  }
}

export interface Line {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: object;
}

/** Keeps the lines, for a test to look at. */
export class FakeLog implements Logger {
  readonly lines: Line[] = [];

  info(fields: object, message: string): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(fields: object, message: string): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  warnings(): readonly string[] {
    return this.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  }
}

/** Lets everything that is not waiting for the test go on until the condition holds. */
export async function eventually(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 10_000) throw new Error(`never came true: ${condition}`);
    await setImmediate();
  }
}

export function page(items: readonly JsonObject[], resourceVersion: string, next = ''): JsonObject {
  return { metadata: { resourceVersion, continue: next }, items };
}

export function object(name: string, resourceVersion = '1', more: JsonObject = {}): JsonObject {
  return { metadata: { name, resourceVersion }, ...more };
}
