import { styleText } from 'node:util';
import type { Severity } from '../rules/rule.ts';
import { type Location, objectName, type Report, type ReportedFinding, type ReportedOpen } from './report.ts';

export const COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<Severity, string>;

export interface TextOptions {
  /** Whether to colour it, as for a terminal. */
  readonly colour: boolean;
}

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** The report for people: findings file by file, then each rule's remedy once, and a summary in the last line. */
export function textOf(report: Report, { colour }: TextOptions): string {
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const byFile = Map.groupBy(linesOf(report, paint), ({ file }) => file);
  const files = [...byFile].map(
    ([file, lines]) => `${paint('underline', file)}\n${lines.map(({ text }) => text).join('')}`,
  );
  const rules = [...new Map(report.findings.map(({ rule }) => [rule.id, rule])).values()];
  const remedies = rules.map(({ id, remedy }) => `${paint('bold', id)}: ${remedy}\n`);
  return [...files, remedies.join(''), summaryLine(report)].filter((part) => part !== '').join('\n');
}

interface Line {
  readonly file: string;
  readonly text: string;
}

const NO_FILE = 'no file';

function linesOf({ findings, inconclusive, unreadable }: Report, paint: Paint): readonly Line[] {
  return [
    ...unreadable.map(({ file, line, because }) => ({
      file,
      text: `  ${line}  ${paint('red', 'unreadable')}  ${because}\n`,
    })),
    ...findings.map((finding) => ({ file: finding.place?.file ?? NO_FILE, text: findingText(finding, paint) })),
    ...inconclusive.map(({ rule, resource, namespaceAssumed, because, place, story }) => ({
      file: place?.file ?? NO_FILE,
      text: `  ${where(place)}${paint('cyan', 'open')}  ${writtenName({ resource, namespaceAssumed })}: ${because}  ${paint('dim', rule.id)}\n${told(story)}`,
    })),
  ];
}

/** Related objects shown for one finding. Many workloads on one claim each have all others; other formats show all. */
const MOST_RELATED = 4;

function findingText(finding: ReportedFinding, paint: Paint): string {
  const { rule, severity, message, fix, place, related, story } = finding;
  const head = `  ${where(place)}${paint(COLOURS[severity], severity)}  ${writtenName(finding)}: ${message}; ${fix}`;
  const shown = related.slice(0, MOST_RELATED);
  const others = shown.map((other) => `      ${other.file}:${where(other).trim()}  ${other.message}\n`);
  const more = related.length > shown.length ? `      and ${related.length - shown.length} more\n` : '';
  const template = place?.template === undefined ? '' : `      made of ${place.template}\n`;
  return `${head}  ${paint('dim', rule.id)}\n${template}${others.join('')}${more}${told(story)}`;
}

/** Numbered, so that people can speak of a line. */
function told(story: readonly string[] = []): string {
  return story.map((line, index) => `      ${index + 1}. ${line}\n`).join('');
}

function writtenName({ resource, namespaceAssumed }: Pick<ReportedOpen, 'resource' | 'namespaceAssumed'>): string {
  return objectName(namespaceAssumed ? { ...resource, namespace: undefined } : resource);
}

function where(place: Location | undefined): string {
  return place === undefined ? '' : `${place.line}:${place.column}  `;
}

function summaryLine({ summary, unreadable }: Report): string {
  const found = [counted(summary.error, 'error'), counted(summary.warning, 'warning')].join(', ');
  const more = [
    [summary.inconclusive, 'inconclusive'],
    [summary.ignored, 'ignored'],
    [unreadable.length, 'unreadable'],
  ] as const;
  const rest = more.flatMap(([count, word]) => (count > 0 ? [`, ${count} ${word}`] : []));
  const seen = [counted(summary.objects, 'object'), counted(summary.workloads, 'workload')].join(', ');
  return `${found}${rest.join('')} (${seen})\n`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
