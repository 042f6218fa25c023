import { examples } from '../rules/examples.ts';
import type { Page, Silencing } from '../rules/page.ts';
import { pages } from '../rules/pages/index.ts';
import type { RuleMeta } from '../rules/rule.ts';
import { wrapped } from './wrapped.ts';

/** What a terminal has room for, which is easy to read elsewhere as well. */
const WIDTH = 80;

/** All that there is to read about a rule, as Markdown that can be read as it is. Manifests stand at the left margin. */
export function rulePage({ id, subject, severity, says, remedy, references }: RuleMeta): string {
  const page = pages[id];
  const example = examples[id];
  const { bad, good, language } = example ? { ...example, language: 'yaml' } : { ...page?.commands, language: 'sh' };
  return [
    `## ${id}\n`,
    paragraph(`**${severity}** (of ${subject}): ${says}.`),
    ...(page === undefined ? [] : [whatHappens(page)]),
    ...(bad === undefined || good === undefined
      ? []
      : [`Bad:\n\n${fenced(language, bad)}`, `Good:\n\n${fenced(language, good)}`]),
    paragraph(`**What to do.** ${remedy}`),
    ...(page === undefined ? [] : [wayByWay(page)]),
    ...(page?.others === undefined ? [] : [otherLinters(page.others)]),
    `**Read on.**\n\n${references.map((url) => `- <${url}>\n`).join('')}`,
  ].join('\n');
}

/** The pages of all rules, each below a heading that is its anchor. */
export function rulePages(metas: readonly RuleMeta[]): string {
  const links = metas.map(({ id, brief }) => `[${id}](#${id}): ${brief}`);
  return [TITLE, list(links), ...metas.map(rulePage)].join('\n');
}

const TITLE = `# Rules

<!-- printed by \`rwo-guard rules --pages\` and held by a test -->
`;

function whatHappens({ story, drawing, why }: Page): string {
  const steps = story.map((line, index) => wrapped(line, WIDTH, '   ', `${index + 1}. `)).join('');
  const parts = [steps, fenced('text', drawing.replace(/^\n/, '')), paragraph(`**Why Kubernetes does that.** ${why}`)];
  return `**What happens.**\n\n${parts.join('\n')}`;
}

function wayByWay({ patch, ways }: Page): string {
  const run = patch === undefined ? [] : [`The patch:\n\n${fenced('sh', patch)}`];
  return [...run, list(ways.map(({ by, how }) => `${by}: ${how}`))].join('\n');
}

function otherLinters(others: readonly Silencing[]): string {
  if (others.length === 0) return '**Other linters.** None that we know asks for the opposite.\n';
  const lines = others.map(({ tool, check, by }) => `- ${tool}, ${check}:\n  ${by}\n`);
  const opposite = '**Other linters** ask for the opposite, and do not look at the volume. How to silence them:';
  return `${paragraph(opposite)}\n${lines.join('')}`;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
}

function paragraph(text: string): string {
  return wrapped(text, WIDTH, '');
}

function list(lines: readonly string[]): string {
  return lines.map((line) => wrapped(line, WIDTH, '  ', '- ')).join('');
}
