import assert from 'node:assert/strict';
import { type Profiler, Session } from 'node:inspector';

/**
 * Counts how often the blocks of the program run, as V8 does for coverage: every turn of a loop and every call is one. It
 * knows nothing of what the program counts itself, so it finds work that nobody counted; what runs inside of V8, such as
 * `includes`, is one block however long it takes.
 */
export class BlocksRun {
  readonly #session = new Session();

  /** To be made before anything runs that is to be counted. */
  constructor() {
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Blocks of src/ that ran during the work. */
  async during(work: () => Promise<unknown>): Promise<number> {
    this.#take();
    await work();
    return this.#take();
  }

  stop(): void {
    this.#session.disconnect();
  }

  #take(): number {
    const { result = [] } = this.#post<Partial<Profiler.TakePreciseCoverageReturnType>>('Profiler.takePreciseCoverage');
    const ours = result.filter(({ url }) => url.startsWith(SOURCES));
    const counts = ours.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** The session of this very thread answers before it returns. */
  #post<Result>(method: string, params: object = {}): Result {
    let answer: Result | undefined;
    this.#session.post(method, params, (error: Error | null, result?: object) => {
      if (error !== null) throw error;
      answer = result as Result;
    });
    assert.ok(answer, `${method} is answered at once`);
    return answer;
  }
}

const SOURCES = new URL('../../src/', import.meta.url).href;
