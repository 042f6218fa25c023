import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ends what it was told to watch as soon as this process is gone, however it went. */
export interface Reaper {
  watch(pid: number): void;
  forget(pid: number): void;
  /** For the ordinary end: whatever is still watched is ended too, and the reaper with it. */
  stop(): Promise<void>;
}

/**
 * Reads `+pid` and `-pid` until the pipe closes. A signal handler in this process would miss SIGKILL and a crash of the
 * runtime; the kernel closes the pipe in every case. `kill` may find nothing: the process had ended by itself.
 */
const SCRIPT = `
pids=
while read -r line; do
  case $line in
    +*) pids="$pids \${line#+}" ;;
    -*) rest=; for pid in $pids; do [ "$pid" = "\${line#-}" ] || rest="$rest $pid"; done; pids=$rest ;;
  esac
done
for pid in $pids; do kill -"$1" "$pid" 2>/dev/null; done
[ -z "$2" ] || rm -rf "$2"
`;

export interface ReaperOptions {
  /** INT lets a compiler clean up after itself; a stopped or hanging server only listens to KILL. */
  readonly signal: 'INT' | 'KILL';
  /** A folder that is worth nothing once the processes are gone. */
  readonly remove?: string;
}

export function startReaper({ signal, remove }: ReaperOptions): Reaper {
  // Detached: Ctrl-C and a kill of the whole process group are exactly when it has to survive.
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'reaper', signal, remove ?? ''], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // Neither the shell nor its pipe may keep a finished test process alive.
  shell.unref();
  unrefPipe(shell);
  return {
    watch: (pid) => void shell.stdin.write(`+${pid}\n`),
    forget(pid) {
      // What stop() ended is forgotten after the pipe was closed.
      if (shell.stdin.writable) shell.stdin.write(`-${pid}\n`);
    },
    async stop() {
      shell.ref();
      const ended = shell.exitCode === null ? once(shell, 'exit') : undefined;
      shell.stdin.end();
      await ended;
    },
  };
}

function unrefPipe(shell: ChildProcess): void {
  const pipe: unknown = shell.stdin;
  if (pipe instanceof Object && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
}
