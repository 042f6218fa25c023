import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Asked, Measured } from './worst-thread.ts';

/** Milliseconds. Who takes longer is not waited for. */
export const PATIENCE_MS = 10_000;

/** A thread that is replaced where it does not answer. */
export class MeasuredThread {
  #worker: Promise<Worker> = startThread();

  /** `undefined` where it took too long. */
  async measure(asked: Asked): Promise<Measured | undefined> {
    const worker = await this.#worker;
    const patience = AbortSignal.timeout(PATIENCE_MS);
    worker.postMessage(asked);
    try {
      const [measured] = await once(worker, 'message', { signal: patience });
      return measured;
    } catch (error) {
      if (!patience.aborted) throw error;
      await worker.terminate();
      this.#worker = startThread();
      return undefined;
    }
  }

  async end(): Promise<void> {
    await (await this.#worker).terminate();
  }
}

async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('worst-thread.ts', import.meta.url));
  await once(worker, 'message');
  return worker;
}
