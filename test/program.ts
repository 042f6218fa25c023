import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { type ReadyLine, readyLine } from './ready-line.ts';

/** How a run of the program ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Run {
  readonly child: ChildProcess;
  /** What a server logs once it answers; rejects if it ends without. */
  readonly ready: Promise<ReadyLine>;
  readonly ended: Promise<Ended>;
}

/** The program from its sources. */
export const MAIN = join(import.meta.dirname, '../src/main.ts');

/** The program as it was built for these tests, which starts in a third of the time; else from its sources. */
export const PROGRAM = process.env.RWO_GUARD_BUILT ?? MAIN;

/** Starts the program as a process of its own, which ends with the test at the latest. */
export function start(t: TestContext, args: readonly string[], program: readonly string[] = [PROGRAM]): Run {
  const child = spawn(process.execPath, [...program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const ready = readyLine(child);
  ready.catch(() => {}); // whoever asks for the line hears of it
  const ended = endOf(child, text(child.stdout), text(child.stderr));
  return { child, ready, ended };
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
