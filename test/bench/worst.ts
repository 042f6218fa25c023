import { KNOWN } from '../worst/known.ts';
import { WAYS, type WorstInput } from '../worst/requests.ts';
import { measureMeanwhile } from './meanwhile.ts';
import { MeasuredThread, PATIENCE_MS } from './measured-thread.ts';
import { median } from './median.ts';
import type { Measured } from './worst-thread.ts';

/** Milliseconds of processor time that no legal request may take beyond JSON.parse, and an update of twice 1.5 MB. */
const BOUND_MS = 20;

/** Milliseconds within which a probe and another review are answered meanwhile. */
const MEANWHILE_MS = 1_000;

/** Prints what the worst requests come to: each alone, and what others wait while they all keep coming. */
export async function printWorst(): Promise<void> {
  await printWorstRequests();
  const { answered, probe, review } = await measureMeanwhile();
  process.stdout.write(`\nwhile these keep coming over HTTPS (${answered} were answered)\n`);
  for (const [what, waits] of [
    ['/livez', probe],
    ['another review', review],
  ] as const) {
    const most = Math.max(...waits);
    const cells = [what, '', '', median(waits).toFixed(1), most.toFixed(1), '', most > MEANWHILE_MS ? OUT : ''];
    printRow([...cells, `${waits.length} times asked, milliseconds from question to answer`]);
  }
}

/** Prints what each of the worst known inputs costs, a line for each way in which it comes. */
async function printWorstRequests(inputs: readonly WorstInput[] = KNOWN): Promise<void> {
  printRow(['input', 'way', 'KB', 'median ms', 'most ms', 'answer', '', 'verdict']);
  const asked = new MeasuredThread();
  for (const { name, reviews } of inputs) {
    for (const way of WAYS) {
      const review = reviews[way];
      if (review === undefined) continue;
      const text = JSON.stringify(review);
      const result = await asked.measure({ door: way === 'mutate' ? 'mutate' : 'validate', text });
      printRow([name, way, kilobytes(text.length), ...cellsOf(result)]);
    }
  }
  await asked.end();
}

function cellsOf(result: Measured | undefined): readonly string[] {
  if (result === undefined) return ['', `> ${PATIENCE_MS}`, '', OUT, ''];
  const { typical, most, answerBytes, verdict } = result;
  return [typical.toFixed(1), most.toFixed(1), kilobytes(answerBytes), typical > BOUND_MS ? OUT : '', verdict];
}

const OUT = 'OUT OF BOUND';

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}

const WIDTHS = [50, 7, 8, 10, 10, 8, 13, 0];

function printRow(cells: readonly string[]): void {
  const padded = cells.map((cell, at) =>
    at >= 2 && at <= 5 ? cell.padStart(WIDTHS[at] ?? 0) : cell.padEnd(WIDTHS[at] ?? 0),
  );
  process.stdout.write(`${padded.join(' ').trimEnd()}\n`);
}
