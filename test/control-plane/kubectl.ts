import { spawn } from 'node:child_process';
import type { Reaper } from './reaper.ts';

export interface KubectlOptions {
  readonly stdin?: string;
  /** Added to the environment, for example a PATH on which kubectl finds plugins. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

export interface KubectlResult {
  /** 0 is success. -1: it did not end within the time it was given, or was ended by a signal. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlProgram {
  readonly program: string;
  /** Where kubectl keeps its caches, so that it neither sees nor touches the developer's. */
  readonly home: string;
  readonly reaper: Reaper;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** Runs kubectl to its end. A failing command is a result, not an exception: tests look at what a person would see. */
export function runKubectl(
  { program, home, reaper }: KubectlProgram,
  kubeconfigFile: string,
  args: readonly string[],
  { stdin = '', env = {}, cwd = home, timeoutMs = DEFAULT_TIMEOUT_MS }: KubectlOptions = {},
): Promise<KubectlResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfigFile, ...env },
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    const { pid } = child;
    if (pid !== undefined) reaper.watch(pid);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (pid !== undefined) reaper.forget(pid);
      resolve({ code: code ?? -1, stdout, stderr });
    });
    // kubectl may end without having read everything, for example when it dislikes an argument.
    child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') reject(error);
    });
    child.stdin.end(stdin);
  });
}
