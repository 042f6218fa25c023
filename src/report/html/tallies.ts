import type { ReportedFinding } from '../report.ts';
import type { ScanReport } from '../scan-report.ts';

/** How grave something is that is counted; `struck` goes before the severity, and `count` is of what is no finding. */
export type Weight = 'struck' | 'error' | 'warning' | 'info' | 'count';

/** What there is how often, as a plot shows it. */
export interface Tally {
  readonly title: string;
  /** What is counted, after a number: `3 findings`. */
  readonly unit: string;
  /** The most first. */
  readonly rows: readonly TallyRow[];
  /** Rows that are not shown, and what they sum up to. */
  readonly others: { readonly rows: number; readonly sum: number };
}

export interface TallyRow {
  readonly name: string;
  readonly parts: readonly { readonly weight: Weight; readonly count: number }[];
  readonly sum: number;
}

/** As many bars as a person compares. */
const MOST_ROWS = 8;

const WEIGHTS: readonly Weight[] = ['struck', 'error', 'warning', 'info', 'count'];

/** What a person looks at before reading: where the findings are, of which rules, what would help, and what stores the data. */
export function tallies(findings: readonly ReportedFinding[], scan: ScanReport | undefined): readonly Tally[] {
  const by = (title: string, nameOf: (finding: ReportedFinding) => string): Tally =>
    tally(
      title,
      'findings',
      findings.map((finding) => ({ name: nameOf(finding), weight: weightOf(finding), count: 1 })),
    );
  const drivers = (scan?.cluster.claimsByDriver ?? []).map(({ driver, claims }) => ({
    ...{ name: driver, weight: 'count' as const, count: claims },
  }));
  return [
    by('Findings by namespace', ({ resource, namespaceAssumed }) =>
      namespaceAssumed ? NONE_NAMED : (resource.namespace ?? NONE_NAMED),
    ),
    by('Findings by rule', ({ rule }) => rule.id),
    by('What would help', ({ fix }) => fix),
    tally('Claims by driver', 'claims', drivers),
  ].filter(({ rows }) => rows.length > 0);
}

const NONE_NAMED = 'no namespace named';

export function weightOf({ severity, now }: Pick<ReportedFinding, 'severity' | 'now'>): Weight {
  return now?.state === 'struck' ? 'struck' : severity;
}

interface Counted {
  readonly name: string;
  readonly weight: Weight;
  readonly count: number;
}

function tally(title: string, unit: string, counted: readonly Counted[]): Tally {
  const all = [...Map.groupBy(counted, ({ name }) => name)]
    .map(([name, some]) => rowOf(name, some))
    .toSorted((a, b) => b.sum - a.sum || (a.name < b.name ? -1 : 1));
  const others = all.slice(MOST_ROWS);
  return {
    ...{ title, unit, rows: all.slice(0, MOST_ROWS) },
    others: { rows: others.length, sum: sumOf(others.map(({ sum }) => sum)) },
  };
}

function rowOf(name: string, counted: readonly Counted[]): TallyRow {
  const parts = WEIGHTS.map((weight) => ({
    weight,
    count: sumOf(counted.filter((one) => one.weight === weight).map(({ count }) => count)),
  })).filter(({ count }) => count > 0);
  return { name, parts, sum: sumOf(parts.map(({ count }) => count)) };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
