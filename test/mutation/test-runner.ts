import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTRUMENTER_CONSTANTS, type InstrumenterContext } from '@stryker-mutator/api/core';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import fc from 'fast-check';
import { type CollectedTest, collected } from './collected-tests.ts';

/** The tests of what is changed. */
const TEST_FILES = ['test/budget.test.ts', 'test/{objects,snapshot,facts,forecast,rules}/*.test.ts'];

/** What is asked here of all fixtures, many times over, takes as long as all other tests, and is about one file. */
const OF_ONE_FILE = 'recurring-answers';

interface LoadedTest extends CollectedTest {
  readonly fileName: string;
}

/** Which of the tests are run; all of them without a word. */
interface Running {
  readonly only?: readonly string[] | undefined;
  /** What is in the name of a file whose tests are not. */
  readonly leftOut?: string | undefined;
  readonly stopAtFailure: boolean;
}

/** By this the mutated code is told which mutant is on, and tells what was reached. */
const mutated: InstrumenterContext = {};

/**
 * Runs the tests of node:test files again and again in one process: a mutant costs milliseconds, and a second where it
 * has a process of its own. Stryker starts a new process for what a mutant changes while modules load.
 */
export class NodeTestRunner implements TestRunner {
  #loaded: Promise<readonly LoadedTest[]> | undefined;
  /** By name: below zero for tests that failed last time, the later the lower, and otherwise how long it took. */
  readonly #turns = new Map<string, number>();
  #failures = 0;

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: false };
  }

  init(): Promise<void> {
    Object.assign(globalThis, { [INSTRUMENTER_CONSTANTS.NAMESPACE]: mutated });
    // A mutant is killed or not, and not by luck; the smallest example that kills it is not looked for.
    fc.configureGlobal({ seed: 1, endOnFailure: true });
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'node:test'
          ? { url: new URL('collected-tests.ts', import.meta.url).href, shortCircuit: true }
          : next(specifier, context),
    });
    return Promise.resolve();
  }

  async dryRun(): Promise<DryRunResult> {
    const tests = await this.#run({ stopAtFailure: false });
    const { mutantCoverage } = mutated;
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, mutantActivation, testFilter, hitLimit, disableBail } = options;
    if (mutantActivation === 'runtime') await this.#load();
    Object.assign(mutated, {
      activeMutant: activeMutant.id,
      hitLimit,
      hitCount: hitLimit === undefined ? undefined : 0,
    });
    const leftOut = activeMutant.fileName.includes(OF_ONE_FILE) ? undefined : OF_ONE_FILE;
    const tests = await this.#run({ only: testFilter, leftOut, stopAtFailure: !disableBail });
    const endless = determineHitLimitReached(mutated.hitCount, hitLimit);
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests });
  }

  async #run({ only, leftOut, stopAtFailure }: Running) {
    const wanted = only && new Set(only);
    const isMeant = ({ name, fileName }: LoadedTest): boolean =>
      (wanted?.has(name) ?? true) && (leftOut === undefined || !fileName.includes(leftOut));
    const tests = (await this.#load()).filter(isMeant);
    const results: TestResult[] = [];
    for (const each of this.#inTurn(tests)) {
      mutated.currentTestId = each.name;
      const result = await resultOf(each);
      delete mutated.currentTestId;
      results.push(result);
      const isNoticed = result.status === TestStatus.Failed;
      this.#turns.set(each.name, isNoticed ? -++this.#failures : result.timeSpentMs);
      if (stopAtFailure && isNoticed) break;
    }
    return results;
  }

  /** What noticed the last changes is likely to notice this one, and of all others quick ones are tried before slow ones. */
  #inTurn(tests: readonly LoadedTest[]): readonly LoadedTest[] {
    const turnOf = ({ name }: LoadedTest): number => this.#turns.get(name) ?? 0;
    return tests.toSorted((a, b) => turnOf(a) - turnOf(b));
  }

  #load(): Promise<readonly LoadedTest[]> {
    this.#loaded ??= loadTests();
    return this.#loaded;
  }
}

/** A mutant that keeps a file from being loaded fails a test of that file's name, which passes otherwise. */
async function loadTests(): Promise<readonly LoadedTest[]> {
  const loaded: LoadedTest[] = [];
  for (const file of globSync(TEST_FILES).sort()) {
    const fileName = resolve(file);
    const loading = import(pathToFileURL(fileName).href);
    await loading.catch(() => {});
    loaded.push({ name: `${file} can be loaded`, run: () => loading, fileName });
    const judging = collected.splice(0).filter(({ run }) => !startsPrograms(run));
    loaded.push(...judging.map((each) => ({ ...each, fileName })));
  }
  return loaded;
}

/** Only tests that start programs, which takes too long here, ask node:test for something: to end those with the test. */
function startsPrograms(run: CollectedTest['run']): boolean {
  return run.length > 0;
}

async function resultOf({ name, fileName, run }: LoadedTest): Promise<TestResult> {
  const start = performance.now();
  const test = () => ({ id: name, name, fileName, timeSpentMs: performance.now() - start });
  try {
    await run();
    return { ...test(), status: TestStatus.Success };
  } catch (error) {
    return { ...test(), status: TestStatus.Failed, failureMessage: String(error) };
  }
}
