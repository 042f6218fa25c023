import { rulePage, rulePages } from '../report/rule-page.ts';
import { rules as allRules, guards, manifestRules } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import type { Surroundings } from './command.ts';

export interface RulesOptions {
  /** The one rule to print; all where it is left out. */
  readonly id?: string | undefined;
  /** The table of what judges manifests, for the README. */
  readonly markdown?: boolean | undefined;
  /** That of the guards, for `manifests/README.md`. */
  readonly guards?: boolean | undefined;
  /** `src/rules/README.md`. */
  readonly pages?: boolean | undefined;
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

/** What there is to read about the rules: a list, one of them whole, all of them whole, or the README's table. */
export function describeRules(
  { id, markdown, pages, ...options }: RulesOptions,
  rules: readonly Rule[] = allRules,
): RulesOutput {
  const metas = rules.map(({ meta }) => meta);
  if (options.guards === true) return { text: markdownTable(guards, '../') };
  if (markdown === true) return { text: markdownTable(manifestRules, '') };
  if (pages === true) return { text: rulePages(metas) };
  if (id === undefined)
    return { text: metas.map(({ id: name, severity, brief }) => `${name} (${severity}): ${brief}\n`).join('') };
  const meta = metas.find((candidate) => candidate.id === id);
  if (meta === undefined)
    return { problem: `there is no rule "${id}"; the rules are ${metas.map((m) => m.id).join(', ')}` };
  return { text: rulePage(meta) };
}

/** Each row leads to the page of its rule. `root` leads from the file with the table to that of the repository. */
function markdownTable(rules: readonly Rule[], root: string): string {
  const rows = rules.map(
    ({ meta: { id, severity, brief } }) =>
      `| [\`${id}\`](${root}src/rules/README.md#${id}) | ${severity} | ${brief} |\n`,
  );
  return `| rule | severity | what is wrong |\n|---|---|---|\n${rows.join('')}`;
}
