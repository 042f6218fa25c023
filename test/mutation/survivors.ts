import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Change, refusedByCompiler } from './refused.ts';

/** Of all changes so many in a hundred have to be noticed. */
const LEAST_PERCENT = 97;

/** The report as Stryker writes it, as far as it is read here. */
interface Report {
  readonly files: Readonly<
    Record<string, { readonly source: string; readonly mutants: readonly (Omit<Change, 'file' | 'source'> & Status)[] }>
  >;
}

interface Status {
  readonly status: string;
}

/** Why tests need not notice some changes: each is its file and the line as it is after the change. */
interface Accepted {
  readonly because: string;
  readonly changes: Readonly<Record<string, readonly string[]>>;
}

const report: Report = JSON.parse(readFileSync('node_modules/.cache/mutation/mutation.json', 'utf8'));
const accepted: readonly Accepted[] = parse(readFileSync(new URL('survivors.yaml', import.meta.url), 'utf8'));

const changes = Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
  mutants.filter(({ status }) => status !== 'Ignored').map((mutant) => ({ ...mutant, file, source })),
);
const unnoticed = changes.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
const refused = await refusedByCompiler(unnoticed);
const left = unnoticed.filter((change) => !refused.has(change));
const survivors = left.map((change) => `${change.file}: ${changed(change)}`);
const listed = accepted.flatMap(({ changes }) =>
  Object.entries(changes)
    .filter(([file]) => file in report.files)
    .flatMap(([file, lines]) => lines.map((line) => `${file}: ${line}`)),
);

const unexplained = [...new Set(survivors)].filter((survivor) => !listed.includes(survivor));
const outlived = listed.filter((change) => !survivors.includes(change));
for (const change of unexplained) console.log(`no test notices, and no reason is given: ${change}`);
for (const change of outlived) console.log(`a test notices, or it is no more; take it off the list: ${change}`);
let isEnough = true;
const folders = Map.groupBy(changes, ({ file }) => file.slice(0, file.lastIndexOf('/')));
for (const [folder, all] of folders) {
  const missed = left.filter(({ file }) => file.slice(0, file.lastIndexOf('/')) === folder).length;
  const byCompiler = all.filter((change) => refused.has(change)).length;
  const percent = (100 * (all.length - missed)) / all.length;
  if (percent < LEAST_PERCENT) isEnough = false;
  const byTests = all.length - missed - byCompiler;
  console.log(
    `${folder}: ${percent.toFixed(2)} % of ${all.length}, ${byTests} by tests and ${byCompiler} by the compiler`,
  );
}
if (unexplained.length + outlived.length > 0 || !isEnough) process.exitCode = 1;

/** The line, or what a change over several lines makes one line of; no longer than tells it from others. */
function changed({ source, replacement, location: { start, end } }: Change): string {
  const lines = source.split('\n');
  const before = lines[start.line - 1]?.slice(0, start.column - 1) ?? '';
  const after = lines[end.line - 1]?.slice(end.column - 1) ?? '';
  const line = `${before}${replacement}${after}`.replaceAll(/\s+/g, ' ').trim();
  return line.length > 140 ? `${line.slice(0, 139)}…` : line;
}
