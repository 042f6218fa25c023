import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { problemsWith } from './answer.ts';
import { hostileClient } from './client.ts';
import type { Legal } from './legal.ts';
import { type HostileRequest, hostileRequest } from './request.ts';
import { type ShippedServer, startShipped } from './server.ts';

export interface HostileRun {
  readonly sent: number;
  /** By status; `none` where the connection was closed or left open without an answer. */
  readonly answers: ReadonlyMap<string, number>;
  /** Each with the indexes of the first requests that brought it about. */
  readonly problems: ReadonlyMap<string, readonly number[]>;
  readonly hazardsDenied: number;
  readonly longestAnswer: number;
  /** Bytes that the server held after the warm-up, at most after that, and in the end. */
  readonly memory: { readonly warm: number; readonly most: number; readonly end: number };
  readonly crashed: boolean;
}

export interface HostileOptions {
  readonly program: string;
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  readonly connections: number;
  /** Where the bodies go that brought a problem about. */
  readonly keep?: string | undefined;
  readonly progress?: (sent: number, residentBytes: number) => void;
}

/** As much as has compiled everything and filled every memory that has a bound. */
const WARM_UP = 0.1;
const SAMPLES = 200;
const MOST_KEPT = 5;

/** Sends so many requests to a server of its own, several at a time, and looks at every answer. */
export async function runHostile(legal: Legal, options: HostileOptions): Promise<HostileRun> {
  const server = await startShipped(options.program, legal.cluster);
  const client = hostileClient(server.url, server.ca, options.connections);
  const tally = new Tally(options);
  const every = Math.ceil(options.count / SAMPLES);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < options.count && server.child.exitCode === null && server.child.signalCode === null) {
      const index = options.first + next++;
      const request = hostileRequest(legal, options.seed, index);
      const answer = await client.send(request).catch((error: unknown) => String(error));
      await tally.take(index, request, answer);
      if ((index - options.first) % every === 0) await tally.sample(server);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.connections }, worker));
    await tally.sample(server);
    return tally.run(server);
  } finally {
    await client.close();
    await server.stop();
  }
}

class Tally {
  readonly #options: HostileOptions;
  readonly #answers = new Map<string, number>();
  readonly #problems = new Map<string, number[]>();
  readonly #memory: { sent: number; bytes: number }[] = [];
  #sent = 0;
  #hazardsDenied = 0;
  #longestAnswer = 0;

  constructor(options: HostileOptions) {
    this.#options = options;
  }

  async take(
    index: number,
    request: HostileRequest,
    answer: { status: number; body: Buffer } | string | undefined,
  ): Promise<void> {
    this.#sent++;
    const label = typeof answer === 'object' ? String(answer.status) : 'none';
    this.#answers.set(label, (this.#answers.get(label) ?? 0) + 1);
    if (typeof answer === 'object') this.#longestAnswer = Math.max(this.#longestAnswer, answer.body.length);
    const found = typeof answer === 'object' ? problemsWith(answer, request) : [];
    const refused = typeof answer === 'string' && !isOversized(request) ? [`no answer: ${answer}`] : [];
    if (request.hazard && found.length === 0 && label === '200') this.#hazardsDenied++;
    for (const problem of [...found, ...refused]) await this.#note(problem, index, request);
  }

  async #note(problem: string, index: number, { body, path }: HostileRequest): Promise<void> {
    const indexes = this.#problems.get(problem) ?? [];
    this.#problems.set(problem, indexes);
    if (indexes.push(index) > MOST_KEPT || this.#options.keep === undefined) return;
    await mkdir(this.#options.keep, { recursive: true });
    const door = path.startsWith('/mutate') ? 'mutate' : 'validate';
    await writeFile(join(this.#options.keep, `${this.#options.seed}-${index}-${door}.json`), body);
  }

  async sample(server: ShippedServer): Promise<void> {
    const bytes = await server.residentBytes().catch(() => 0); // it may have ended just now
    this.#memory.push({ sent: this.#sent, bytes });
    this.#options.progress?.(this.#sent, bytes);
  }

  run({ child, log }: ShippedServer): HostileRun {
    for (const error of log.errors.slice(0, MOST_KEPT)) this.#problems.set(`logged: ${error.slice(0, 2_000)}`, []);
    if (log.longest > 16 * 1024) this.#problems.set(`a log line of ${log.longest} bytes`, []);
    const warmed = this.#memory.filter(({ sent }) => sent >= this.#options.count * WARM_UP).map(({ bytes }) => bytes);
    return {
      sent: this.#sent,
      answers: this.#answers,
      problems: this.#problems,
      hazardsDenied: this.#hazardsDenied,
      longestAnswer: this.#longestAnswer,
      memory: { warm: warmed[0] ?? 0, most: Math.max(0, ...warmed), end: warmed.at(-1) ?? 0 },
      crashed: child.exitCode !== null || child.signalCode !== null,
    };
  }
}

/** Node answers headers of more than 16 KB and closes the connection while they are still being written. */
function isOversized({ headers }: HostileRequest): boolean {
  return Object.values(headers).some((value) => value.length > 15_000);
}
