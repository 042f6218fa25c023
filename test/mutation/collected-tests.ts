/** A test as its file wrote it down. */
export interface CollectedTest {
  readonly name: string;
  readonly run: (...asked: never[]) => unknown;
}

/** What the test files have called `test` with so far; a module of its own, since they import it in place of node:test. */
export const collected: CollectedTest[] = [];

/** Stands in for the `test` of node:test, which runs a test once: a mutant needs it again. */
export function test(name: string, run: () => unknown): void {
  collected.push({ name, run });
}
