import { oneLine } from '../one-line.ts';
import type { Report } from './report.ts';

/** Exemptions that are named in the last line; the count tells of the others. */
const MOST_IGNORED = 3;

/** The last line for people: what was found, what was not judged, and what was ignored and why. */
export function summaryLine({ summary, ignored, unreadable }: Report): string {
  const found = [
    counted(summary.error, 'error'),
    counted(summary.warning, 'warning'),
    ...(summary.inconclusive > 0 ? [`${summary.inconclusive} not judged`] : []),
    ...(summary.ignored > 0 ? [`${summary.ignored} ignored${reasons(ignored)}`] : []),
    ...(unreadable.length > 0 ? [`${unreadable.length} unreadable`] : []),
  ];
  return `${found.join(', ')} in ${counted(summary.objects, 'object')}, ${counted(summary.workloads, 'workload')}`;
}

function reasons(ignored: Report['ignored']): string {
  const told = [...new Set(ignored.map(({ name, reason }) => `${oneLine(name)}: "${oneLine(reason)}"`))];
  const more = told.length - MOST_IGNORED;
  const shown = told.slice(0, MOST_IGNORED);
  return ` (${[...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')})`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
