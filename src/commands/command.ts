import type { Writable } from 'node:stream';

/** What a command has of the process around it. It answers with an exit code, and `main` ends. */
export interface Surroundings {
  /** The version in `package.json`. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes what was asked for, such as findings. Everything else goes to `stderr`. */
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted by the first SIGTERM or SIGINT from now on; the second one ends the process as usual. */
  readonly stopRequested: () => AbortSignal;
  /** Has that done when the process ends, also because of a bug. */
  readonly beforeEnd: (work: () => void) => void;
  /** Hands over the warnings that Node would print, and the bug by which the process ends. */
  readonly listenToNode: (warned: (warning: Error) => void, ended: (error: unknown) => void) => void;
}

/** Which cluster, as kubectl is told it. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}
