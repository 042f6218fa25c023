import { examples } from '../rules/examples.ts';
import { rules as allRules } from '../rules/index.ts';
import type { Rule, RuleMeta } from '../rules/rule.ts';
import type { Surroundings } from './command.ts';

export interface RulesOptions {
  /** The one rule to print; all where it is left out. */
  readonly id?: string | undefined;
  /** The README's table. */
  readonly markdown?: boolean | undefined;
}

export type RulesOutput = { readonly text: string } | { readonly problem: string };

/** Prints the rules; exit code 2 where there is no such rule. */
export function printRules(options: RulesOptions, { stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>): number {
  const output = describeRules(options);
  if ('text' in output) {
    stdout.write(output.text);
    return 0;
  }
  stderr.write(`rwo-guard: ${output.problem}\n`);
  return 2;
}

/** What there is to read about the rules: a list, one of them whole, or the README's table. */
export function describeRules({ id, markdown }: RulesOptions, rules: readonly Rule[] = allRules): RulesOutput {
  const metas = rules.map(({ meta }) => meta);
  if (markdown === true) return { text: markdownTable(metas) };
  if (id === undefined)
    return { text: metas.map(({ id: name, severity, says }) => `${name} (${severity}): ${says}\n`).join('') };
  const meta = metas.find((candidate) => candidate.id === id);
  if (meta === undefined)
    return { problem: `there is no rule "${id}"; the rules are ${metas.map((m) => m.id).join(', ')}` };
  return { text: page(meta) };
}

function markdownTable(metas: readonly RuleMeta[]): string {
  const rows = metas.map(({ id, subject, severity, says }) => `| \`${id}\` | ${subject} | ${severity} | ${says} |\n`);
  return `| id | subject | severity | says |\n|---|---|---|---|\n${rows.join('')}`;
}

/** Examples stand at the left margin, so that they can be copied out of a terminal. */
function page({ id, subject, severity, says, remedy, references }: RuleMeta): string {
  const example = examples[id];
  const parts = [
    id,
    `${subject}, ${severity}: ${says}.`,
    ...(example === undefined ? [] : [`Bad:\n\n${example.bad.trimEnd()}`, `Good:\n\n${example.good.trimEnd()}`]),
    remedy,
    references.map((url) => `  ${url}`).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}
