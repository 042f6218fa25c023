import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

/** How a run of the program ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Run {
  readonly child: ChildProcess;
  /** The first line on stdout; rejects if there is none. */
  readonly firstLine: Promise<string>;
  readonly ended: Promise<Ended>;
}

export const MAIN = join(import.meta.dirname, '../src/main.ts');

/** Starts the program as a process of its own, which ends with the test at the latest. */
export function start(t: TestContext, args: readonly string[], program: readonly string[] = [MAIN]): Run {
  const child = spawn(process.execPath, [...program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const line = Promise.withResolvers<string>();
  let begun = '';
  child.stdout.on('data', (chunk) => {
    begun += chunk;
    if (begun.includes('\n')) line.resolve(begun.slice(0, begun.indexOf('\n')));
  });
  const ended = endOf(child, text(child.stdout), text(child.stderr));
  ended.then(
    ({ stderr }) => line.reject(new Error(`nothing on stdout: ${stderr}`)),
    (error: unknown) => line.reject(error),
  );
  line.promise.catch(() => {}); // whoever asks for the line hears of it
  return { child, firstLine: line.promise, ended };
}

async function endOf(child: ChildProcess, stdout: Promise<string>, stderr: Promise<string>): Promise<Ended> {
  const [code]: (number | null)[] = await once(child, 'close');
  return { code: code ?? null, stdout: await stdout, stderr: await stderr };
}

/** An empty folder, which goes with the test. */
export async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}
