import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { startReaper } from './reaper.ts';

/** What Kubernetes 1.36 is written in. */
const OLDEST_GO_MINOR = 26;

/** GOTOOLCHAIN=local: a test run must not download another Go behind the developer's back. CGO off: no C compiler needed. */
const GO_ENVIRONMENT = { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };

export interface GoCommand {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each line of stderr, where Go reports what it is at. */
  readonly onProgress?: (line: string) => void;
}

/** Throws one line that says what to install when there is no Go that can build the control plane. */
export async function requireGo(): Promise<void> {
  const advice = `The test control plane is built with Go 1.${OLDEST_GO_MINOR} or newer, see https://go.dev/dl`;
  let version: string;
  try {
    // Not in the module's folder: there an old Go fails with a message about go.mod instead.
    version = await go({ args: ['env', 'GOVERSION'], folder: tmpdir() });
  } catch (error) {
    throw new Error(`${advice} (no working "go" on the PATH)`, { cause: error });
  }
  const minor = Number(/^go1\.(\d+)/.exec(version)?.[1]);
  if (!(minor >= OLDEST_GO_MINOR)) throw new Error(`${advice} (found ${version})`);
}

/** Runs `go` to its end and gives what it printed. */
export function go({ args, folder, env, onProgress }: GoCommand): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, {
      cwd: folder,
      env: { ...GO_ENVIRONMENT, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const reaper = startReaper({ signal: 'INT' });
    if (child.pid !== undefined) reaper.watch(child.pid);
    const output: string[] = [];
    const messages: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => output.push(line));
    createInterface({ input: child.stderr }).on('line', (line) => {
      messages.push(line);
      onProgress?.(line);
    });
    const finish = (failure: Error | undefined) => {
      if (child.pid !== undefined) reaper.forget(child.pid);
      void reaper.stop();
      if (failure === undefined) resolve(output.join('\n').trim());
      else reject(failure);
    };
    child.once('error', finish);
    child.once('close', (code) => {
      if (code === 0) finish(undefined);
      else finish(new Error(`go ${args[0]} failed (${code}):\n${messages.slice(-20).join('\n')}`));
    });
  });
}
