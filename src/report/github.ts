/*
 * Annotations of a GitHub workflow run, as commands on stdout:
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 *
 * GitHub shows ten errors, ten warnings and ten notices of a step, and the log shows all. So notes about what was
 * skipped are left out here.
 */
import { oneLine } from '../one-line.ts';
import type { Severity } from '../rules/rule.ts';
import { filePath, type Location, objectName, type Report, wholeMessage } from './report.ts';

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/** One workflow command a line, or nothing where nothing was found. */
export function githubOf({ findings, inconclusive, unreadable }: Report): string {
  return [
    ...unreadable.map(({ file, line, because }) => command('error', { file, line }, 'unreadable', because)),
    ...findings.map((finding) => {
      const { rule, severity, resource, fix, place, story } = finding;
      const text = `${objectName(resource)}: ${wholeMessage(finding)}; to fix it: ${fix}${madeOf(place)}${told(story)}`;
      return command(COMMANDS[severity], place, rule.id, text);
    }),
    ...inconclusive.map(({ rule, resource, because, place, story }) =>
      command('notice', place, rule.id, `${objectName(resource)}: ${because}${madeOf(place)}${told(story)}`),
    ),
  ].join('');
}

function told(story: readonly string[] = []): string {
  return story.map((line) => `\n${line}`).join('');
}

/** What `helm template` printed stands in no file that GitHub could show. */
function madeOf(place: Location | undefined): string {
  return place?.template === undefined ? '' : `; made of ${place.template}`;
}

function command(
  name: string,
  place: (Pick<Location, 'file' | 'line'> & Partial<Pick<Location, 'column'>>) | undefined,
  title: string,
  message: string,
): string {
  const where = place && { file: filePath(place.file), line: place.line, col: place.column };
  const properties = Object.entries({ ...where, title }).filter(([, value]) => value !== undefined);
  const lines = message.split('\n').map(oneLine).join('\n');
  return `::${name} ${properties.map(([key, value]) => `${key}=${escapedProperty(String(value))}`).join()}::${escaped(lines)}\n`;
}

/** Escapes a text as `escapeData` of `@actions/core` does; `escapedProperty` does what its `escapeProperty` does. */
function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
