import { oneLine } from '../one-line.ts';
import type { Plan } from './plan.ts';

/** The plan as numbered steps; those with a star are taken by `--apply`. */
export function planText({ steps, refusals }: Plan): string {
  if (steps.length === 0) return 'nothing to do\n';
  const lines = [
    ...steps.flatMap(({ title, commands, applied }, index) => [
      `${`${index + 1}.`.padEnd(4)}${applied ? '* ' : ''}${title}`,
      ...commands.map((command) => `      ${command}`),
    ]),
    ...(steps.some(({ applied }) => applied) ? ['', '* is done by --apply'] : []),
    ...refusals.map((because) => `not yet: ${because}`),
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}
