import { writeFile } from 'node:fs/promises';
import { CLASSES } from './comparison.ts';
import { disagreementsIn, type Result } from './play.ts';

export interface Summary {
  readonly scenarios: number;
  readonly judged: number;
  readonly disagreements: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly classes: Readonly<Record<string, number>>;
  readonly dimensions: Readonly<Record<string, number>>;
}

export function summaryOf(results: readonly Result[]): Summary {
  const refused = results.flatMap((result) => result.refused ?? []);
  return {
    scenarios: results.length,
    judged: results.length - refused.length,
    disagreements: results.filter((result) => disagreementsIn(result).length > 0).length,
    refused: counts(refused),
    classes: {
      ...Object.fromEntries(CLASSES.map((name) => [name, 0])),
      ...counts(results.flatMap(({ outcome }) => outcome ?? [])),
    },
    dimensions: counts(results.flatMap(({ dimensions }) => dimensions)),
  };
}

function counts(names: readonly string[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const name of [...names].sort()) found[name] = (found[name] ?? 0) + 1;
  return found;
}

/** One JSON document with one line for each scenario, so that two reports can be compared by lines. */
export async function writeReport(file: string, results: readonly Result[]): Promise<void> {
  const lines = results.map((result) =>
    JSON.stringify({ ...result, acts: result.acts.map((act) => ({ ...act, situation: undefined })) }),
  );
  const summary = JSON.stringify(summaryOf(results));
  await writeFile(file, `{"scenarios": [\n${lines.join(',\n')}\n],\n"summary": ${summary}}\n`);
}

export function summaryText(summary: Summary): string {
  const table = (title: string, entries: Readonly<Record<string, number>>): string =>
    [title, ...Object.entries(entries).map(([name, count]) => `  ${String(count).padStart(5)}  ${name}`)].join('\n');
  return [
    table('outcomes', summary.classes),
    table('dimensions', summary.dimensions),
    table('refused', summary.refused),
    `${summary.scenarios} scenarios, ${summary.judged} judged`,
    `${summary.disagreements} disagreements`,
    '',
  ].join('\n');
}
