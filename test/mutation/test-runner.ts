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

/** The tests that judge. Those of the examples start a program for each, and say nothing that the fixtures leave out. */
const TEST_FILES = ['test/facts/*.test.ts', 'test/forecast/*.test.ts', 'test/rules/*.test.ts'];
const STARTS_PROGRAMS = 'test/rules/examples.test.ts';

interface LoadedTest extends CollectedTest {
  readonly fileName: string;
}

/** By this the mutated code is told which mutant is on, and tells what was reached. */
const mutated: InstrumenterContext = {};

/**
 * Runs the tests of node:test files again and again in one process: a mutant costs milliseconds, and a second where it
 * has a process of its own. Stryker starts a new process for what a mutant changes while modules load.
 */
export class NodeTestRunner implements TestRunner {
  #loaded: Promise<readonly LoadedTest[]> | undefined;

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
    const tests = await this.#run({ only: testFilter, stopAtFailure: !disableBail });
    const endless = determineHitLimitReached(mutated.hitCount, hitLimit);
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests });
  }

  async #run({ only, stopAtFailure }: { only?: readonly string[] | undefined; stopAtFailure: boolean }) {
    const wanted = only && new Set(only);
    const results: TestResult[] = [];
    for (const each of await this.#load()) {
      if (wanted !== undefined && !wanted.has(each.name)) continue;
      mutated.currentTestId = each.name;
      const result = await resultOf(each);
      delete mutated.currentTestId;
      results.push(result);
      if (stopAtFailure && result.status === TestStatus.Failed) break;
    }
    return results;
  }

  #load(): Promise<readonly LoadedTest[]> {
    this.#loaded ??= loadTests();
    return this.#loaded;
  }
}

/** A mutant that keeps a file from being loaded fails a test of that file's name, which passes otherwise. */
async function loadTests(): Promise<readonly LoadedTest[]> {
  const loaded: LoadedTest[] = [];
  for (const file of globSync(TEST_FILES, { exclude: [STARTS_PROGRAMS] }).sort()) {
    const fileName = resolve(file);
    const loading = import(pathToFileURL(fileName).href);
    await loading.catch(() => {});
    loaded.push({ name: `${file} can be loaded`, run: () => loading, fileName });
    loaded.push(...collected.splice(0).map((each) => ({ ...each, fileName })));
  }
  return loaded;
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
