import { styleText } from 'node:util';
import { oneLine } from '../one-line.ts';
import { readMore } from '../rules/address.ts';
import type { Severity } from '../rules/rule.ts';
import type { Location, Related, Report, ReportedFinding, ReportedOpen, Standing } from './report.ts';
import { objectName } from './report.ts';
import { summaryLine } from './summary-line.ts';
import { wrapped } from './wrapped.ts';

export const COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<Severity, string>;

const MARKS = { error: '✖ ', warning: '⚠ ', info: 'ℹ ' } as const satisfies Record<Severity, string>;

export interface TextOptions {
  /** Whether to colour it, as for a terminal. */
  readonly colour: boolean;
  /** Whether signs stand before severities, as on a terminal. */
  readonly marks: boolean;
  /** Characters in a line. */
  readonly width: number;
  /** Whether `--fix` could still write what a finding says it would. */
  readonly fixes: boolean;
}

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Colours, or leaves texts as they are. */
export function painter({ colour }: Pick<TextOptions, 'colour'>): Paint {
  return (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
}

/** What stayed open, for people; programs read `inconclusive`. */
export const NOT_JUDGED = 'not judged';

/** The report for people: findings file by file, or namespace by namespace, and a summary in the last line. */
export function textOf(report: Report, options: TextOptions): string {
  return `${findingsText(report, options)}${summaryLine(report)}\n`;
}

/** The findings by where they stand, each with what helps. */
export function findingsText(report: Report, options: TextOptions): string {
  const page = new Page(options);
  const byHeading = Map.groupBy(page.partsOf(report), ({ heading }) => heading);
  const groups = [...byHeading].map(
    ([heading, parts]) => `${page.paint('underline', oneLine(heading))}\n${parts.map(({ text }) => text).join('')}`,
  );
  const more = report.findings.length > 0 ? [page.paint('dim', `more of a rule: ${readMore(['ID'])}\n`)] : [];
  return [...groups, ...more].map((part) => `${part}\n`).join('');
}

/** What is said of one object, or of one part of a file. */
interface Part {
  readonly heading: string;
  readonly text: string;
}

/** What has come about in a cluster stands before everything else. */
function headingOf({ place, resource, now }: Pick<ReportedFinding, 'place' | 'resource' | 'now'>): string {
  if (place !== undefined) return place.file;
  if (now?.state === 'struck') return 'has struck';
  return resource.namespace === undefined ? 'cluster' : `namespace ${resource.namespace}`;
}

/** Below the line that names an object. */
const INDENT = ' '.repeat(8);
/** Below the words `claim`, `assumed`, `fix` and `template`. */
const ROW = ' '.repeat(9);

/** Related objects shown for one finding. Many workloads on one claim each have all others; other formats show all. */
const MOST_RELATED = 4;

class Page {
  readonly paint: Paint;
  readonly #options: TextOptions;

  constructor(options: TextOptions) {
    this.#options = options;
    this.paint = painter(options);
  }

  partsOf({ findings, inconclusive, unreadable }: Report): readonly Part[] {
    return [
      ...unreadable.map(({ file, line, because }) => ({
        heading: file,
        text: `  ${line}  ${this.#mark('error')}${this.paint('red', 'unreadable')}\n${this.#wrapped(because)}`,
      })),
      ...findings.map((finding) => ({ heading: headingOf(finding), text: this.#finding(finding) })),
      ...inconclusive.map((open) => ({ heading: headingOf(open), text: this.#open(open) })),
    ];
  }

  #finding(finding: ReportedFinding): string {
    const { rule, also, severity, message, place, story } = finding;
    const ids = [rule, ...also].map(({ id }) => id).join(', ');
    const what = `${this.#mark(severity)}${this.paint(COLOURS[severity], severity)}  ${this.paint('bold', ids)}`;
    const head = `  ${where(place)}${what}  ${writtenName(finding)}\n`;
    return `${head}${this.#wrapped(asSentence(message))}${this.#rows(finding)}${this.#told(story)}`;
  }

  #rows({ place, related, evidence = [], now, assumed, fix, or, writable }: ReportedFinding): string {
    const shown = related.slice(0, MOST_RELATED).map(relatedRow);
    const others = related.length - shown.length;
    const written = writable && this.#options.fixes ? `${fix}    (--fix writes it)` : fix;
    return [
      ...(place?.template === undefined ? [] : [['template', place.template] as const]),
      ...(now === undefined || now.because === '' ? [] : [['now', standingInWords(now)] as const]),
      ...evidence.map(({ label, text }) => [label, text] as const),
      ...shown,
      ...(others > 0 ? [['', `and ${others} more`] as const] : []),
      ...assumed.map((text, index) => [index === 0 ? 'assumed' : '', text] as const),
      ['fix', written] as const,
      ...(or === undefined ? [] : [['or', or] as const]),
    ]
      .map(([label, text]) => this.#row(label, text))
      .join('');
  }

  #row(label: string, text: string): string {
    const first = `${INDENT}${this.paint('dim', label)}${' '.repeat(ROW.length - label.length)}`;
    return wrapped(oneLine(text), this.#options.width, `${INDENT}${ROW}`, first);
  }

  #open(open: ReportedOpen): string {
    const { rule, because, place, story } = open;
    const what = `${this.#mark('info')}${this.paint('cyan', NOT_JUDGED)}  ${this.paint('bold', rule.id)}`;
    return `  ${where(place)}${what}  ${writtenName(open)}\n${this.#wrapped(asSentence(because))}${this.#told(story)}`;
  }

  /** Numbered, so that people can speak of a line. */
  #told(story: readonly string[] = []): string {
    return story
      .map((line, index) => {
        const first = `${INDENT}${index + 1}. `;
        return wrapped(oneLine(line), this.#options.width, ' '.repeat(first.length), first);
      })
      .join('');
  }

  #wrapped(text: string): string {
    return wrapped(oneLine(text), this.#options.width, INDENT);
  }

  #mark(severity: Severity): string {
    return this.#options.marks ? this.paint(COLOURS[severity], MARKS[severity]) : '';
  }
}

function standingInWords({ state, because }: Standing): string {
  return state === 'lucky' ? `lucky so far: ${because}` : because;
}

function relatedRow(other: Related): readonly [string, string] {
  const at = `${other.file}:${other.line}`;
  const claim = /^claim (.*)$/s.exec(other.message)?.[1];
  return claim === undefined ? ['see', `${at} ${other.message}`] : ['claim', `${at} ${claim}`];
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function writtenName({ resource, namespaceAssumed }: Pick<ReportedOpen, 'resource' | 'namespaceAssumed'>): string {
  return oneLine(objectName(namespaceAssumed ? { ...resource, namespace: undefined } : resource));
}

function where(place: Location | undefined): string {
  return place === undefined ? '' : `${place.line}:${place.column}  `;
}
