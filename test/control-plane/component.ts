import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reaper } from './reaper.ts';

export interface ComponentOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly logFile: string;
  /** Home of the program, where clients keep caches. */
  readonly home: string;
  /** Resolves when it answers and is the one that was started here; throws why it does not, as often as it is asked. */
  readonly probe: () => Promise<void>;
}

/** A cold API server on a loaded two-core machine was seen to take 20 s. */
const READY_WITHIN_MS = 90_000;
const PROBE_EVERY_MS = 100;
const LINES_SHOWN_ON_FAILURE = 30;

/** One program of the control plane: the same command and ports each time it is started. */
export class Component {
  readonly name: string;
  /** It ended although nobody asked it to, or never became ready. */
  failed = false;
  readonly #options: ComponentOptions;
  readonly #reaper: Reaper;
  #process: ChildProcess | undefined;
  #asked = false;

  constructor(options: ComponentOptions, reaper: Reaper) {
    this.name = options.name;
    this.#options = options;
    this.#reaper = reaper;
  }

  /** Starts the program and waits until it is ready. */
  async start(): Promise<void> {
    if (this.#process !== undefined) throw new Error(`${this.name} is already running`);
    const child = this.#spawn();
    const since = Date.now();
    for (;;) {
      try {
        await this.#options.probe();
        if (this.#process === child) return;
      } catch (error) {
        if (Date.now() - since > READY_WITHIN_MS) throw await this.#notReady('is not ready in time', error);
      }
      if (this.#process !== child) throw await this.#notReady('ended while it was starting');
      await sleep(PROBE_EVERY_MS);
    }
  }

  /** A silent peer: connections stay open and nothing is answered. */
  pause(): void {
    this.#running().kill('SIGSTOP');
  }

  resume(): void {
    this.#running().kill('SIGCONT');
  }

  /** Ends it at once, paused or not. Nothing here is worth a graceful shutdown, which can take a minute. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#asked = true;
    child.ref();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  #spawn(): ChildProcess {
    const log = openSync(this.#options.logFile, 'a');
    const child = spawn(this.#options.program, this.#options.args, {
      // Nothing of the developer's environment: a proxy or a kubeconfig there would lead away from this machine.
      env: { PATH: process.env.PATH, HOME: this.#options.home },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#process = child;
    this.#asked = false;
    const { pid } = child;
    if (pid !== undefined) this.#reaper.watch(pid);
    // A test that forgets stop() still ends; the reaper does the rest.
    child.unref();
    child.once('error', (error) => this.#ended(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      if (pid !== undefined) this.#reaper.forget(pid);
      this.#ended(`ended (${signal ?? `exit code ${code}`})`);
    });
    return child;
  }

  #ended(how: string): void {
    this.#process = undefined;
    if (this.#asked) return;
    this.failed = true;
    process.stderr.write(`control plane: ${this.name} ${how}, see ${this.#options.logFile}\n`);
  }

  async #notReady(how: string, cause?: unknown): Promise<Error> {
    this.failed = true;
    await this.kill();
    const lines = (await readFile(this.#options.logFile, 'utf8')).trimEnd().split('\n');
    const tail = lines.slice(-LINES_SHOWN_ON_FAILURE).join('\n');
    return new Error(`${this.name} ${how}. The end of ${this.#options.logFile}:\n${tail}`, { cause });
  }

  #running(): ChildProcess {
    if (this.#process === undefined) throw new Error(`${this.name} is not running`);
    return this.#process;
  }
}
