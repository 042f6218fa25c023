import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The report as Stryker writes it, as far as it is read here. */
interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly status: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

/** Both count from one. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** Why tests need not notice some changes: each is its file and the line as it is after the change. */
interface Accepted {
  readonly because: string;
  readonly changes: Readonly<Record<string, readonly string[]>>;
}

const report: Report = JSON.parse(readFileSync('node_modules/.cache/mutation/mutation.json', 'utf8'));
const accepted: readonly Accepted[] = parse(readFileSync(new URL('survivors.yaml', import.meta.url), 'utf8'));

const survivors = Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
  mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map((mutant) => `${file}: ${changed(source, mutant)}`),
);
const listed = accepted.flatMap(({ changes }) =>
  Object.entries(changes)
    .filter(([file]) => file in report.files)
    .flatMap(([file, lines]) => lines.map((line) => `${file}: ${line}`)),
);

const unexplained = [...new Set(survivors)].filter((survivor) => !listed.includes(survivor));
const outlived = listed.filter((change) => !survivors.includes(change));
for (const change of unexplained) console.log(`no test notices, and no reason is given: ${change}`);
for (const change of outlived) console.log(`a test notices, or it is no more; take it off the list: ${change}`);
if (unexplained.length + outlived.length > 0) process.exitCode = 1;

/** The line, or what a change over several lines makes one line of; no longer than tells it from others. */
function changed(source: string, { replacement, location: { start, end } }: Mutant): string {
  const lines = source.split('\n');
  const before = lines[start.line - 1]?.slice(0, start.column - 1) ?? '';
  const after = lines[end.line - 1]?.slice(end.column - 1) ?? '';
  const line = `${before}${replacement}${after}`.replaceAll(/\s+/g, ' ').trim();
  return line.length > 140 ? `${line.slice(0, 139)}…` : line;
}
