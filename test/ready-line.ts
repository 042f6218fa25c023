import type { ChildProcess } from 'node:child_process';

/** What a server logs once it answers. */
export interface ReadyLine {
  /** Where it answers reviews. */
  readonly url: string;
  readonly listen: string;
  /** Where its probes and metrics are. */
  readonly metricsUrl: string;
  readonly metricsListen: string;
}

/** Waits for that line on stderr; rejects if the process ends without it. */
export function readyLine({ stderr }: ChildProcess): Promise<ReadyLine> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadyLine>();
  let seen = '';
  const look = (chunk: unknown): void => {
    seen += String(chunk);
    const line = seen
      .split('\n')
      .slice(0, -1)
      .find((one) => one.endsWith('"msg":"ready"}'));
    if (line === undefined) return;
    stderr?.off('data', look);
    resolve(JSON.parse(line));
  };
  stderr?.on('data', look).once('end', () => reject(new Error(`it was never ready: ${seen}`)));
  return promise;
}
