import type { Check } from '../doctor/check.ts';
import type { Diagnosis } from '../doctor/diagnosis.ts';
import { oneLine } from '../one-line.ts';
import { printedJson } from '../report/printed-json.ts';

/** What `doctor` prints, by the name of its format. */
export const DOCTOR_FORMATS: ReadonlyMap<string, (diagnosis: Diagnosis) => string> = new Map([
  ['text', asText],
  ['json', asJson],
]);

function asJson({ groups, counts }: Diagnosis): string {
  return printedJson({ good: counts.problem === 0, counts, groups });
}

const MARKS: Readonly<Record<Check['status'], string>> = {
  ok: 'ok',
  warning: 'warning',
  problem: 'problem',
  'not-seen': 'not seen',
};

const WIDTH = Math.max(...Object.values(MARKS).map(({ length }) => length));

/** A line for each check, and below it how to mend it; the sum at the end. */
function asText({ groups, counts }: Diagnosis): string {
  const parts = groups.map(({ title, checks }) => `${title}\n${checks.map(line).join('')}`);
  const { problem, warning, 'not-seen': notSeen } = counts;
  const sum = [counted(problem, 'problem'), counted(warning, 'warning'), `${notSeen} not seen`].join(', ');
  return `${parts.join('\n')}\n${sum}\n`;
}

function line({ status, says, fix }: Check): string {
  const told = `  ${MARKS[status].padEnd(WIDTH)}  ${oneLine(says)}\n`;
  return fix === undefined ? told : `${told}  ${' '.repeat(WIDTH)}  fix: ${oneLine(fix)}\n`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
