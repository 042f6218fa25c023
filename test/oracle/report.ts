import { writeFile } from 'node:fs/promises';
import { CLASSES, WANTED_CLASSES } from './classes.ts';
import { DIMENSIONS, dimensionsOf, formsOf, LEAST_PERCENT } from './dimensions.ts';
import { KINDS } from './plan.ts';
import { disagreementsIn, type Judged, type Result } from './play.ts';
import { ENDS, type Tried } from './trying.ts';

/** How many scenarios are of a sort, and what share of all of them that is. */
export interface Share {
  readonly count: number;
  readonly percent: number;
  /** Less than every run ought to have. */
  readonly tooFew?: true;
}

type Shares = Readonly<Record<string, Share>>;

export interface Summary {
  readonly scenarios: number;
  readonly judged: number;
  readonly disagreements: number;
  /** By what is foretold: the classes that `CLASSES` names. */
  readonly forecasts: Shares;
  readonly kinds: Shares;
  readonly dimensions: Shares;
  /** Everything else that plans say. */
  readonly forms: Shares;
  readonly refused: Shares;
  /** By remedy, and by what came of it. */
  readonly remedies: Readonly<Record<string, Readonly<Partial<Record<Tried['end'], number>>>>>;
}

export function summaryOf(results: readonly Result[]): Summary {
  const shares = (names: readonly string[], all: readonly string[], least = 0, wanted = all): Shares => {
    const counts = new Map<string, number>(all.map((name) => [name, 0]));
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return Object.fromEntries([...counts].map(([name, count]) => [name, shareOf(name, count)]));

    function shareOf(name: string, count: number): Share {
      const percent = results.length === 0 ? 0 : Math.round((1000 * count) / results.length) / 10;
      return { count, percent, ...(percent < least && wanted.includes(name) ? { tooFew: true } : {}) };
    }
  };
  const plans = results.map(({ plan }) => plan);
  const refused = results.flatMap((result) => result.refused ?? []);
  return {
    scenarios: results.length,
    judged: results.length - refused.length,
    disagreements: results.filter((result) => disagreementsIn(result).length > 0).length,
    forecasts: shares(
      results.flatMap(({ foretold }) => foretold ?? []),
      CLASSES,
      LEAST_PERCENT.forecast,
      WANTED_CLASSES,
    ),
    kinds: shares(
      plans.map(({ kind }) => kind),
      KINDS,
      LEAST_PERCENT.kind,
    ),
    dimensions: shares(
      plans.flatMap(dimensionsOf),
      DIMENSIONS.map(({ name }) => name),
      LEAST_PERCENT.dimension,
    ),
    forms: shares(plans.flatMap(formsOf), [...new Set(plans.flatMap(formsOf))].sort()),
    refused: shares(refused, [...new Set(refused)].sort()),
    remedies: remediesIn(results),
  };
}

function remediesIn(results: readonly Result[]): Summary['remedies'] {
  const tried = results.flatMap(({ acts }) => acts.flatMap(({ remedies }) => remedies));
  const byRemedy = Map.groupBy(tried, ({ remedy }) => remedy);
  const counted = [...byRemedy].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    counted.map(([remedy, all]) => {
      const byEnd = Map.groupBy(all, ({ end }) => end);
      return [remedy, Object.fromEntries([...byEnd].map(([end, some]) => [end, some.length]))];
    }),
  );
}

/** One scenario in one line: what was foretold, what happened, and why. */
export interface Line {
  readonly id: string;
  readonly forecast: string;
  readonly observed: string;
  readonly reasons: readonly string[];
  readonly disagreements: readonly string[];
}

export function lineOf(result: Result): Line {
  const { plan, foretold = 'not judged', refused, detail, acts } = result;
  return {
    id: plan.id,
    forecast: foretold,
    observed: refused === undefined ? observedIn(result) : `refused, ${refused}`,
    reasons: refused === undefined ? acts.flatMap(reasonsIn) : [detail ?? ''],
    disagreements: disagreementsIn(result),
  };
}

function reasonsIn({ observed, remedies }: Judged): readonly string[] {
  const useless = remedies.filter(({ end }) => end === 'did not help');
  return [...observed.reasons, ...useless.map(({ remedy, because }) => `after "${remedy}": ${because.join(', ')}`)];
}

function observedIn({ acts }: Result): string {
  if (acts.length === 0) return 'not played';
  const multiAttach = acts.some(({ observed }) => observed.multiAttach);
  const stuck = acts.some(({ observed }) => observed.stuck);
  return `${stuck ? 'stuck' : 'ended'}${multiAttach ? ' with Multi-Attach' : ''}`;
}

export function lineText({ id, forecast, observed, reasons, disagreements }: Line): string {
  const wrong = disagreements.length > 0 ? ` DISAGREES on ${disagreements.join(', ')}` : '';
  return `${id}: foretold ${forecast}, ${observed}${wrong}${reasons.length > 0 ? `; ${reasons.join('; ')}` : ''}`;
}

/** One JSON document with one line for each scenario, so that two reports can be compared by lines. */
export async function writeReport(file: string, results: readonly Result[]): Promise<void> {
  const lines = results.map((result) => {
    const acts = result.acts.map((act) => ({ ...act, situation: undefined }));
    return JSON.stringify({ ...lineOf(result), ...result, acts, dimensions: dimensionsOf(result.plan) });
  });
  const summary = JSON.stringify(summaryOf(results), null, 1);
  await writeFile(file, `{"scenarios": [\n${lines.join(',\n')}\n],\n"summary": ${summary}}\n`);
}

export function summaryText(summary: Summary): string {
  return [
    table('by forecast', summary.forecasts),
    table('by kind', summary.kinds),
    table('by dimension', summary.dimensions),
    table('by form', summary.forms),
    table('refused', summary.refused),
    remediesText(summary.remedies),
    `${summary.scenarios} scenarios, ${summary.judged} judged`,
    `${summary.disagreements} disagreements`,
    '',
  ].join('\n');
}

function remediesText(remedies: Summary['remedies']): string {
  const rows = Object.entries(remedies).map(([remedy, counts]) => {
    const told = ENDS.flatMap((end) => (counts[end] === undefined ? [] : [`${counts[end]} ${end}`]));
    return `  ${remedy}: ${told.join(', ')}`;
  });
  return ['by remedy', ...rows].join('\n');
}

function table(title: string, shares: Shares): string {
  const rows = Object.entries(shares).map(([name, { count, percent, tooFew }]) => {
    const share = `${percent.toFixed(1)} %`;
    return `  ${String(count).padStart(5)}  ${share.padStart(7)}  ${name}${tooFew ? '  TOO FEW' : ''}`;
  });
  return [title, ...rows].join('\n');
}
