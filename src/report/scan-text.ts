import { oneLine } from '../one-line.ts';
import { objectName } from './report.ts';
import type { ScannedNamespace, ScanReport } from './scan-report.ts';
import { summaryLine } from './summary-line.ts';
import { findingsText, painter, type TextOptions } from './text.ts';

/** What of a scan people asked for. */
export interface ScanTextOptions extends TextOptions {
  /** Whether what would be denied is told by namespace. */
  readonly asIfEnforced: boolean;
  /** Whether what is exempt is told one by one. */
  readonly exempt: boolean;
}

/** The scan for people: what has struck, what may, what is exempt or was changed, what was not seen, and a last line. */
export function scanTextOf(report: ScanReport, options: ScanTextOptions): string {
  const paint = painter(options);
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `${paint('underline', title)}\n${lines.map((line) => `  ${oneLine(line)}\n`).join('')}\n`;
  return [
    findingsText(report, options),
    section('pods that wait for a volume now, which no finding above foretells', waitingLines(report)),
    options.asIfEnforced ? section(ENFORCED, tableOf(report.namespaces)) : '',
    options.exempt ? section('exempt', exemptLines(report)) : '',
    section('changed by rwo-guard when they were applied', mutatedLines(report)),
    section('could not be read', unseenLines(report)),
    worstNodeLine(report),
    `${summaryLine(report)}\n`,
  ].join('');
}

const ENFORCED = 'if every namespace enforced, these objects would be denied when they are created';

const COLUMNS = ['namespace', 'team', 'mode', 'workloads', 'denied', 'warned', 'not judged'] as const;

/** Those where most would be denied first; those where nothing was found are left out. */
function tableOf(namespaces: readonly ScannedNamespace[]): readonly string[] {
  const rows = namespaces
    .filter(({ denied, warned, open }) => denied + warned + open > 0)
    .toSorted((one, other) => other.denied - one.denied || (one.name < other.name ? -1 : 1))
    .map(({ name, team = '-', mode = '?', workloads, denied, warned, open }) =>
      [name, team, mode, workloads, denied, warned, open].map(String),
    );
  if (rows.length === 0) return [];
  const all = [COLUMNS, ...rows];
  const widths = COLUMNS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function waitingLines({ waiting = [] }: ScanReport): readonly string[] {
  return waiting.map(({ resource, because }) => `${resource.namespace}: ${because}`);
}

function exemptLines({ exempt }: ScanReport): readonly string[] {
  return exempt.map(({ resource, rules, reason, until }) => {
    const end = until === undefined ? 'without end' : `until ${until}`;
    return `${objectName(resource)}  ${rules.join(', ')}  ${end}: "${reason}"`;
  });
}

function mutatedLines({ mutated }: ScanReport): readonly string[] {
  return mutated.map(({ resource, mutation, isAskedFor }) => {
    const left = isAskedFor === false ? '  (its namespace no longer asks for it)' : '';
    return `${objectName(resource)}  ${mutation}${left}`;
  });
}

function worstNodeLine({ worstNode }: ScanReport): string {
  if (worstNode === undefined) return '';
  const { node, hanging } = worstNode;
  const hang = hanging === 1 ? '1 workload hangs' : `${hanging} workloads hang`;
  return `${oneLine(`if ${node} fails, ${hang} until it is fenced: rwo-guard what-if fail ${node}`)}\n`;
}

/** Lists that are not answered for one reason, and leave the same open, stand in one line. */
export function unseenLines({ unseen }: Pick<ScanReport, 'unseen'>): readonly string[] {
  const alike = Map.groupBy(unseen, ({ because, leavesOpen }) => `${because}; open: ${leavesOpen}`);
  return [...alike].map(([why, all]) => `${all.map(({ list }) => list).join(', ')}: ${why}`);
}
