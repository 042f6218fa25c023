import { WORST_TREES } from '../lint/worst-trees.ts';
import { lint, withTree } from './lint.ts';

/** What one of the worst known inputs costs. */
export interface WorstLint {
  readonly name: string;
  readonly size: number;
  /** Milliseconds of processor time, with what the process needs to start. */
  readonly processor: number;
  /** Megabytes of resident memory at the peak. */
  readonly memory: number;
  /** Megabytes of JSON. */
  readonly printed: number;
  /** Over an input of half the size, without what an empty one costs: 2 where it is linear. */
  readonly growth: number;
}

/** More than twice as much for twice the input, beyond what a second measurement may differ by. */
const MOST_GROWTH = 2.6;

/** Lints each of the worst known inputs, and one of half its size. */
export async function* measureWorstLint(): AsyncIterable<WorstLint> {
  const start = (await withTree([['all.yaml', '']], lint)).processor;
  for (const { name, size, files } of WORST_TREES) {
    const half = await withTree(files(Math.ceil(size / 2)), lint);
    const { processor, memory, bytes } = await withTree(files(size), lint);
    const growth = size === 1 ? 1 : (processor - start) / Math.max(1, half.processor - start);
    yield { name, size, processor, memory, printed: bytes / 1e6, growth };
  }
}

/** Prints a line for each. */
export async function printWorstLint(): Promise<void> {
  printRow(['input of lint', 'size', 'CPU ms', 'MB', 'MB out', 'growth', '']);
  for await (const { name, size, processor, memory, printed, growth } of measureWorstLint()) {
    const numbers = [processor.toFixed(0), memory.toFixed(0), printed.toFixed(1), `${growth.toFixed(2)} ×`];
    printRow([name, String(size), ...numbers, growth > MOST_GROWTH ? 'NOT LINEAR' : '']);
  }
}

function printRow([name = '', ...cells]: readonly string[]): void {
  process.stdout.write(`${name.padEnd(60)} ${cells.map((cell) => cell.padStart(7)).join(' ')}\n`);
}
